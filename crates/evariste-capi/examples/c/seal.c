/* Seals a message and opens it again.
 *
 *     cargo xtask install-capi
 *     cc crates/evariste-capi/examples/c/seal.c $(pkg-config --cflags --libs evariste) -o seal && ./seal
 */

#include <evariste.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, int status)
{
    fprintf(stderr, "%s: %s\n", what, evariste_strerror(status));
    return 1;
}

int main(void)
{
    /* From the system's generator in real life, and kept secret. */
    static const uint8_t key_bytes[32] = {7};
    /* Never the same one twice under a key. */
    static const uint8_t nonce[12] = {1};
    static const char header[] = "header", text[] = "attack at dawn";
    uint8_t buffer[sizeof text + 16];
    size_t len = 0;
    evariste_aead *key = NULL;

    int status = evariste_aead_new(&key, EVARISTE_AES_256_GCM, key_bytes, sizeof key_bytes,
                                   EVARISTE_DEFAULT_TAG_LENGTH, 0);
    if (status != EVARISTE_OK)
        return fail("key", status);
    printf("evariste %s on backend %s\n", evariste_version(), evariste_backend_name(key));

    status = evariste_aead_seal(key, buffer, &len, sizeof buffer, nonce, sizeof nonce, (const uint8_t *)header,
                                strlen(header), (const uint8_t *)text, sizeof text);
    if (status != EVARISTE_OK)
        return fail("seal", status);
    for (size_t n = 0; n < len; n++)
        printf("%02x", buffer[n]);
    printf("\n");

    /* In place. What is not authentic is an error, and nothing of it is to be seen. */
    status = evariste_aead_open(key, buffer, &len, sizeof buffer, nonce, sizeof nonce, (const uint8_t *)header,
                                strlen(header), buffer, len);
    if (status != EVARISTE_OK)
        return fail("open", status);
    printf("%s\n", (const char *)buffer);

    evariste_aead_free(key);
    printf("0 failures\n");
    return 0;
}
