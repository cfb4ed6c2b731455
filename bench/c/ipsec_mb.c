/* libipsec-mb: GCM and GMAC by its direct calls; CTR and CCM, which have none, as bursts of one job; CCM also of eight. */
#include "peer.h"
#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

struct key {
    struct gcm_key_data gcm;
    uint32_t expanded[4 * 15] __attribute__((aligned(16)));
    uint32_t unused[4 * 15] __attribute__((aligned(16)));
    aes_gcm_enc_dec_t crypt;
    int (*run)(struct key *, const struct pass *);
    int decrypt;
    size_t len;
    size_t burst;
};

static IMB_MGR *mgr;

const char *peer_name(void)
{
    static char name[64] = "ipsec-mb-";
    IMB_ARCH arch;
    if (mgr == NULL) {
        mgr = alloc_mb_mgr(0);
        if (mgr == NULL)
            return NULL;
        init_mb_mgr_auto(mgr, &arch);
        strncat(name, imb_get_version_str(), sizeof name - strlen(name) - 1);
    }
    return imb_get_errno(mgr) == 0 ? name : NULL;
}

/* The nonce of the message behind number n. */
static const uint8_t *next(const struct pass *p, size_t n)
{
    return p->nonces + n * p->nonce_step;
}

static int differ(const uint8_t *a, const uint8_t *b)
{
    uint8_t sum = 0;
    for (int i = 0; i < 16; i++)
        sum |= a[i] ^ b[i];
    return sum;
}

static int seal(struct key *k, const struct pass *p)
{
    struct gcm_context_data ctx;
    const uint8_t *nonce = p->first;
    for (size_t n = 0; n < p->count; n++) {
        uint8_t *text = p->texts + n * p->step;
        k->crypt(&k->gcm, &ctx, text, text, p->size, nonce, p->aad, p->aad_len, text + p->size, 16);
        nonce = next(p, n);
    }
    return 1;
}

static int open(struct key *k, const struct pass *p)
{
    struct gcm_context_data ctx;
    const uint8_t *nonce = p->first;
    int bad = 0;
    for (size_t n = 0; n < p->count; n++) {
        uint8_t tag[16], *text = p->texts + n * p->step;
        k->crypt(&k->gcm, &ctx, text, text, p->size, nonce, p->aad, p->aad_len, tag, 16);
        bad |= differ(tag, text + p->size);
        nonce = next(p, n);
    }
    return !bad;
}

static int gmac(struct key *k, const struct pass *p)
{
    struct gcm_context_data ctx;
    const uint8_t *nonce = p->first;
    for (size_t n = 0; n < p->count; n++) {
        uint8_t *text = p->texts + n * p->step;
        k->crypt(&k->gcm, &ctx, NULL, NULL, 0, nonce, text, p->size, text + p->size, 16);
        nonce = next(p, n);
    }
    return 1;
}

static int ctr(struct key *k, const struct pass *p)
{
    IMB_JOB job;
    const uint8_t *nonce = p->first;
    memset(&job, 0, sizeof job);
    job.enc_keys = job.dec_keys = k->expanded;
    job.key_len_in_bytes = k->len;
    job.iv_len_in_bytes = 16;
    job.msg_len_to_cipher_in_bytes = p->size;
    job.cipher_mode = IMB_CIPHER_CNTR;
    job.cipher_direction = IMB_DIR_ENCRYPT;
    job.hash_alg = IMB_AUTH_NULL;
    job.chain_order = IMB_ORDER_CIPHER_HASH;
    for (size_t n = 0; n < p->count; n++) {
        job.src = job.dst = p->texts + n * p->step;
        job.iv = nonce;
        if (IMB_SUBMIT_CIPHER_BURST_NOCHECK(mgr, &job, 1, IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT, k->len) != 1)
            return 0;
        nonce = next(p, n);
    }
    return 1;
}

static int ccm(struct key *k, const struct pass *p)
{
    IMB_JOB jobs[8];
    uint8_t tags[8][16];
    IMB_CIPHER_DIRECTION direction = k->decrypt ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    const uint8_t *nonce = p->first;
    int bad = 0;
    memset(jobs, 0, sizeof jobs);
    for (size_t i = 0; i < k->burst; i++) {
        IMB_JOB *job = &jobs[i];
        job->enc_keys = job->dec_keys = k->expanded;
        job->key_len_in_bytes = k->len;
        job->iv_len_in_bytes = 12;
        job->msg_len_to_cipher_in_bytes = job->msg_len_to_hash_in_bytes = p->size;
        job->auth_tag_output_len_in_bytes = 16;
        job->u.CCM.aad = p->aad;
        job->u.CCM.aad_len_in_bytes = p->aad_len;
        job->cipher_mode = IMB_CIPHER_CCM;
        job->cipher_direction = direction;
        job->hash_alg = IMB_AUTH_AES_CCM;
        job->chain_order = k->decrypt ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    }
    for (size_t n = 0; n < p->count;) {
        uint32_t some = p->count - n < k->burst ? p->count - n : k->burst;
        for (uint32_t i = 0; i < some; i++) {
            uint8_t *text = p->texts + (n + i) * p->step;
            jobs[i].src = jobs[i].dst = text;
            jobs[i].iv = nonce;
            jobs[i].auth_tag_output = k->decrypt ? tags[i] : text + p->size;
            nonce = next(p, n + i);
        }
        if (IMB_SUBMIT_AEAD_BURST_NOCHECK(mgr, jobs, some, IMB_CIPHER_CCM, direction, k->len) != some)
            return 0;
        for (uint32_t i = 0; k->decrypt && i < some; i++)
            bad |= differ(tags[i], p->texts + (n + i) * p->step + p->size);
        n += some;
    }
    return !bad;
}

void *peer_key(const char *algorithm, int decrypt, const uint8_t *key, size_t len)
{
    int mac = strcmp(algorithm, "gmac") == 0;
    const char *mode = mac ? "gcm" : strlen(algorithm) > 8 ? algorithm + 8 : "";
    struct key *k;
    if (peer_name() == NULL || posix_memalign((void **)&k, 64, sizeof *k) != 0)
        return NULL;
    k->decrypt = decrypt;
    k->len = len;
    if (strcmp(mode, "gcm") == 0) {
        k->run = mac ? gmac : decrypt ? open : seal;
        switch (len) {
        case 16:
            IMB_AES128_GCM_PRE(mgr, key, &k->gcm);
            k->crypt = decrypt ? mgr->gcm128_dec : mgr->gcm128_enc;
            break;
        case 24:
            IMB_AES192_GCM_PRE(mgr, key, &k->gcm);
            k->crypt = decrypt ? mgr->gcm192_dec : mgr->gcm192_enc;
            break;
        default:
            IMB_AES256_GCM_PRE(mgr, key, &k->gcm);
            k->crypt = decrypt ? mgr->gcm256_dec : mgr->gcm256_enc;
        }
        return k;
    }
    int many = strcmp(mode, "ccm-many") == 0;
    if (strcmp(mode, "ctr") == 0 || strcmp(mode, "ccm") == 0 || many) {
        k->run = mode[1] == 't' ? ctr : ccm;
        k->burst = many ? 8 : 1;
        if (len == 16)
            IMB_AES_KEYEXP_128(mgr, key, k->expanded, k->unused);
        else
            IMB_AES_KEYEXP_256(mgr, key, k->expanded, k->unused);
        return k;
    }
    free(k);
    return NULL;
}

/* What a job of CCM counts with 16 bits. */
size_t peer_longest(const char *algorithm)
{
    return strstr(algorithm, "ccm") != NULL ? 1 << 15 : SIZE_MAX;
}

int peer_run(void *key, const struct pass *pass)
{
    struct key *k = key;
    return k->run(k, pass);
}

void peer_free(void *key)
{
    free(key);
}
