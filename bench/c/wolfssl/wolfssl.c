/* wolfSSL, which distributions build without its assembler. */
#include "../peer.h"
#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <stdlib.h>
#include <string.h>
#include <wolfssl/version.h>

typedef int (*aead)(Aes *, uint8_t *, const uint8_t *, word32, const uint8_t *, word32, uint8_t *, word32,
                    const uint8_t *, word32);

struct key {
    Aes *aes;
    /* NULL: counter mode. */
    aead seal;
    int (*open)(Aes *, uint8_t *, const uint8_t *, word32, const uint8_t *, word32, const uint8_t *, word32,
                const uint8_t *, word32);
    int mac;
};

const char *peer_name(void)
{
    return "wolfssl-" LIBWOLFSSL_VERSION_STRING;
}

static int one(const struct key *k, const struct pass *p, uint8_t *text, const uint8_t *nonce)
{
    uint8_t *tag = text + p->size;
    if (k->mac)
        return k->seal(k->aes, NULL, NULL, 0, nonce, 12, tag, 16, text, p->size);
    if (k->seal != NULL)
        return k->seal(k->aes, text, text, p->size, nonce, 12, tag, 16, p->aad, p->aad_len);
    if (k->open != NULL)
        return k->open(k->aes, text, text, p->size, nonce, 12, tag, 16, p->aad, p->aad_len);
    return wc_AesSetIV(k->aes, nonce) != 0 || wc_AesCtrEncrypt(k->aes, text, text, p->size) != 0;
}

void *peer_key(const char *algorithm, int decrypt, const uint8_t *key, size_t len)
{
    int failed, mac = strcmp(algorithm, "gmac") == 0;
    const char *mode = mac ? "gcm" : strlen(algorithm) > 8 ? algorithm + 8 : "";
    struct key *k = calloc(1, sizeof *k);
    if (k == NULL)
        return NULL;
    k->mac = mac;
    k->aes = wc_AesNew(NULL, INVALID_DEVID, &failed);
    if (k->aes == NULL) {
        free(k);
        return NULL;
    }
    failed = 1;
    if (strcmp(mode, "gcm") == 0) {
        failed = wc_AesGcmSetKey(k->aes, key, len);
        if (decrypt)
            k->open = wc_AesGcmDecrypt;
        else
            k->seal = wc_AesGcmEncrypt;
    } else if (strcmp(mode, "ccm") == 0) {
        failed = wc_AesCcmSetKey(k->aes, key, len);
        if (decrypt)
            k->open = wc_AesCcmDecrypt;
        else
            k->seal = wc_AesCcmEncrypt;
    } else if (strcmp(mode, "ctr") == 0) {
        failed = wc_AesSetKey(k->aes, key, len, NULL, AES_ENCRYPTION);
    }
    if (failed) {
        peer_free(k);
        return NULL;
    }
    return k;
}

int peer_run(void *key, const struct pass *p)
{
    const struct key *k = key;
    const uint8_t *nonce = p->first;
    int failed = 0;
    for (size_t n = 0; n < p->count; n++) {
        failed |= one(k, p, p->texts + n * p->step, nonce);
        nonce = p->nonces + n * p->nonce_step;
    }
    return !failed;
}

void peer_free(void *key)
{
    struct key *k = key;
    wc_AesDelete(k->aes, NULL);
    free(k);
}
