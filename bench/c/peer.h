/* What a peer in C exports to evariste-bench; bench/abi says what each of these is. */
#include <stddef.h>
#include <stdint.h>

struct pass {
    const uint8_t *first;
    const uint8_t *nonces;
    size_t nonce_step;
    const uint8_t *aad;
    size_t aad_len;
    uint8_t *texts;
    size_t step;
    size_t size;
    size_t count;
};

const char *peer_name(void);
void *peer_key(const char *algorithm, int decrypt, const uint8_t *key, size_t len);
int peer_run(void *key, const struct pass *pass);
void peer_free(void *key);

/* Need not be there. */
size_t peer_longest(const char *algorithm);
