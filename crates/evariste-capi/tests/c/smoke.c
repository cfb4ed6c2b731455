/* evariste.h as a C program uses it: known answers, every kind of object, and what must be refused. */

#include <evariste.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);     \
            failures++;                                                        \
        }                                                                      \
    } while (0)

#define IS(call, status) CHECK((call) == (status))

static int all(const uint8_t *at, size_t len, uint8_t value)
{
    while (len > 0)
        if (at[--len] != value)
            return 0;
    return 1;
}

/* The Galois/Counter Mode of Operation (McGrew, Viega), test case 4. */
static const uint8_t key[16] = {0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c,
                                0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
static const uint8_t nonce[12] = {0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
static const uint8_t aad[20] = {0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed,
                                0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2};
static const uint8_t text[60] = {
    0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf, 0xf5, 0x26,
    0x9a, 0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31,
    0x8a, 0x72, 0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49,
    0xa6, 0xb5, 0x25, 0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39};
static const uint8_t sealed[76] = {
    0x42, 0x83, 0x1e, 0xc2, 0x21, 0x77, 0x74, 0x24, 0x4b, 0x72, 0x21, 0xb7, 0x84, 0xd0, 0xd4, 0x9c,
    0xe3, 0xaa, 0x21, 0x2f, 0x2c, 0x02, 0xa4, 0xe0, 0x35, 0xc1, 0x7e, 0x23, 0x29, 0xac, 0xa1, 0x2e,
    0x21, 0xd5, 0x14, 0xb2, 0x54, 0x66, 0x93, 0x1c, 0x7d, 0x8f, 0x6a, 0x5a, 0xac, 0x84, 0xaa, 0x05,
    0x1b, 0xa3, 0x0b, 0x39, 0x6a, 0x0a, 0xac, 0x97, 0x3d, 0x58, 0xe0, 0x91,
    /* the tag */
    0x5b, 0xc9, 0x4f, 0xbc, 0x32, 0x21, 0xa5, 0xdb, 0x94, 0xfa, 0xe9, 0x5a, 0xe7, 0x12, 0x1a, 0x47};

enum { TEXT = sizeof text, SEALED = sizeof sealed, TAG = SEALED - TEXT };

static void backends(void)
{
    size_t n, usable = 0;
    for (n = 0; evariste_backend_at(n) != NULL; n++)
        usable += evariste_backend_reason(n) == NULL;
    CHECK(n >= 1 && usable >= 1);
    CHECK(strcmp(evariste_backend_at(n - 1), "portable") == 0);
    CHECK(evariste_backend_reason(n) == NULL);
    IS(evariste_set_backend(NULL), EVARISTE_ERROR_NULL);
    IS(evariste_set_backend("no such"), EVARISTE_ERROR_BACKEND);
    for (size_t i = 0; i < n; i++)
        IS(evariste_set_backend(evariste_backend_at(i)),
           evariste_backend_reason(i) == NULL ? EVARISTE_OK : EVARISTE_ERROR_BACKEND);
    IS(evariste_set_backend("portable"), EVARISTE_OK);

    evariste_aead *first = NULL;
    IS(evariste_aead_new(&first, EVARISTE_AES_128_GCM, key, sizeof key, EVARISTE_DEFAULT_TAG_LENGTH, 0), EVARISTE_OK);
    CHECK(strcmp(evariste_backend_name(first), "portable") == 0);
    IS(evariste_set_backend("portable"), EVARISTE_ERROR_STATE);
    evariste_aead_free(first);
    printf("version %s, %zu of %zu backends usable\n", evariste_version(), usable, n);
}

static void whole_messages(const evariste_aead *aead)
{
    uint8_t out[SEALED + 1];
    size_t len = 77;
    memset(out, 0xaa, sizeof out);
    IS(evariste_aead_seal(aead, out, &len, SEALED, nonce, sizeof nonce, aad, sizeof aad, text, TEXT), EVARISTE_OK);
    CHECK(len == SEALED && memcmp(out, sealed, SEALED) == 0 && out[SEALED] == 0xaa);
    /* In place, and the room larger than needed. */
    IS(evariste_aead_open(aead, out, &len, sizeof out, nonce, sizeof nonce, aad, sizeof aad, out, SEALED), EVARISTE_OK);
    CHECK(len == TEXT && memcmp(out, text, TEXT) == 0 && out[SEALED] == 0xaa);
    IS(evariste_aead_seal(aead, out, &len, SEALED, nonce, sizeof nonce, aad, sizeof aad, out, TEXT), EVARISTE_OK);
    CHECK(len == SEALED && memcmp(out, sealed, SEALED) == 0);

    for (size_t bit = 0; bit < 8 * SEALED; bit += 7) {
        uint8_t forged[SEALED], got[TEXT];
        memcpy(forged, sealed, SEALED);
        memset(got, 0xaa, sizeof got);
        forged[bit / 8] ^= (uint8_t)(1 << bit % 8);
        len = 77;
        IS(evariste_aead_open(aead, got, &len, sizeof got, nonce, sizeof nonce, aad, sizeof aad, forged, SEALED),
           EVARISTE_ERROR_AUTH);
        CHECK(len == 0 && all(got, sizeof got, 0));
    }
    /* No room for the tag: zeros, as far as there is room. */
    memset(out, 0xaa, sizeof out);
    IS(evariste_aead_seal(aead, out, &len, SEALED - 1, nonce, sizeof nonce, aad, sizeof aad, text, TEXT),
       EVARISTE_ERROR_BUFFER);
    CHECK(len == 0 && all(out, SEALED - 1, 0) && out[SEALED - 1] == 0xaa);
    IS(evariste_aead_seal(aead, out, &len, SEALED, nonce, 0, aad, sizeof aad, text, TEXT), EVARISTE_ERROR_NONCE);
    IS(evariste_aead_open(aead, out, &len, SEALED, nonce, 0, aad, sizeof aad, sealed, SEALED), EVARISTE_ERROR_AUTH);
}

static void apart(const evariste_aead *aead)
{
    uint8_t out[TEXT], tag[TAG], none[TAG];
    IS(evariste_aead_seal_detached(aead, out, TEXT, tag, TAG, nonce, sizeof nonce, aad, sizeof aad, text, TEXT),
       EVARISTE_OK);
    CHECK(memcmp(out, sealed, TEXT) == 0 && memcmp(tag, sealed + TEXT, TAG) == 0);
    IS(evariste_aead_open_detached(aead, out, TEXT, tag, TAG, nonce, sizeof nonce, aad, sizeof aad, out, TEXT),
       EVARISTE_OK);
    CHECK(memcmp(out, text, TEXT) == 0);
    IS(evariste_aead_open_detached(aead, out, TEXT, tag, TAG - 1, nonce, sizeof nonce, aad, sizeof aad, sealed, TEXT),
       EVARISTE_ERROR_AUTH);
    CHECK(all(out, TEXT, 0));
    /* Nothing at all has a tag, too. */
    IS(evariste_aead_seal_detached(aead, NULL, 0, tag, TAG, nonce, sizeof nonce, NULL, 0, NULL, 0), EVARISTE_OK);
    IS(evariste_aead_open_detached(aead, NULL, 0, tag, TAG, nonce, sizeof nonce, NULL, 0, NULL, 0), EVARISTE_OK);
    memcpy(none, tag, TAG);
    IS(evariste_aead_seal_detached(aead, NULL, 1, tag, TAG, nonce, sizeof nonce, NULL, 0, text, 1),
       EVARISTE_ERROR_NULL);
    CHECK(all(tag, TAG, 0));
    IS(evariste_aead_open_detached(aead, out, TEXT, none, TAG, nonce, sizeof nonce, NULL, 1, NULL, 0),
       EVARISTE_ERROR_NULL);
}

static void overlaps(const evariste_aead *aead)
{
    uint8_t buffer[3 * SEALED], before[3 * SEALED];
    size_t len = 0;
    for (size_t n = 0; n < sizeof buffer; n++)
        before[n] = buffer[n] = (uint8_t)(n * 5 + 1);
    for (size_t at = 0; at + SEALED <= sizeof buffer; at++) {
        size_t in = SEALED;
        int same = at == in, meet = at < in + TEXT && in < at + SEALED;
        int status = evariste_aead_seal(aead, buffer + at, &len, SEALED, nonce, sizeof nonce, aad, sizeof aad,
                                        buffer + in, TEXT);
        CHECK(status == (meet && !same ? EVARISTE_ERROR_OVERLAP : EVARISTE_OK));
        CHECK(status == EVARISTE_OK ? len == SEALED : len == 0 && memcmp(buffer, before, sizeof buffer) == 0);
        memcpy(buffer, before, sizeof buffer);
        /* Nonce and additional data must not be written either. */
        meet = at < in + 12 && in < at + SEALED;
        status = evariste_aead_seal(aead, buffer + at, &len, SEALED, buffer + in, 12, NULL, 0, text, TEXT);
        CHECK(status == (meet ? EVARISTE_ERROR_OVERLAP : EVARISTE_OK));
        CHECK(status == EVARISTE_OK || memcmp(buffer, before, sizeof buffer) == 0);
        memcpy(buffer, before, sizeof buffer);
        status = evariste_aead_seal(aead, buffer + at, &len, SEALED, nonce, 12, buffer + in, 12, text, TEXT);
        CHECK(status == (meet ? EVARISTE_ERROR_OVERLAP : EVARISTE_OK));
        CHECK(status == EVARISTE_OK || memcmp(buffer, before, sizeof buffer) == 0);
        memcpy(buffer, before, sizeof buffer);
    }
}

static void in_pieces(const evariste_aead *aead)
{
    uint8_t out[TEXT], tag[TAG];
    size_t len = 0;
    evariste_stream *stream = NULL;
    IS(evariste_stream_new(&stream), EVARISTE_OK);
    IS(evariste_stream_update(stream, out, TEXT, text, TEXT), EVARISTE_ERROR_STATE);
    for (size_t step = 1; step <= TEXT; step += 6) {
        IS(evariste_stream_begin(stream, aead, EVARISTE_SEAL, nonce, sizeof nonce), EVARISTE_OK);
        IS(evariste_stream_aad(stream, aad, 7), EVARISTE_OK);
        IS(evariste_stream_aad(stream, aad + 7, sizeof aad - 7), EVARISTE_OK);
        for (size_t at = 0; at < TEXT; at += step) {
            size_t piece = TEXT - at < step ? TEXT - at : step;
            IS(evariste_stream_update(stream, out + at, TEXT - at, text + at, piece), EVARISTE_OK);
        }
        IS(evariste_stream_finish_seal(stream, tag, &len, TAG), EVARISTE_OK);
        CHECK(len == TAG && memcmp(out, sealed, TEXT) == 0 && memcmp(tag, sealed + TEXT, TAG) == 0);

        IS(evariste_stream_begin(stream, aead, EVARISTE_OPEN_UNVERIFIED, nonce, sizeof nonce), EVARISTE_OK);
        IS(evariste_stream_aad(stream, aad, sizeof aad), EVARISTE_OK);
        for (size_t at = 0; at < TEXT; at += step) {
            size_t piece = TEXT - at < step ? TEXT - at : step;
            IS(evariste_stream_update(stream, out + at, piece, out + at, piece), EVARISTE_OK);
        }
        CHECK(memcmp(out, text, TEXT) == 0);
        IS(evariste_stream_finish_open(stream, tag, TAG), EVARISTE_OK);
        IS(evariste_stream_finish_open(stream, tag, TAG), EVARISTE_ERROR_STATE);
    }
    /* What was begun and not finished is no leak. */
    IS(evariste_stream_begin(stream, aead, EVARISTE_SEAL, nonce, sizeof nonce), EVARISTE_OK);
    evariste_stream_free(stream);
    evariste_stream_free(NULL);
}

static void many(const evariste_aead *aead)
{
    enum { COUNT = 70 };
    static uint8_t data[COUNT][TEXT], tags[COUNT][TAG];
    evariste_message messages[COUNT];
    memset(messages, 0, sizeof messages);
    for (int n = 0; n < COUNT; n++) {
        memcpy(data[n], text, TEXT);
        messages[n].nonce = nonce, messages[n].nonce_len = sizeof nonce;
        messages[n].aad = aad, messages[n].aad_len = sizeof aad;
        messages[n].data = data[n], messages[n].data_len = TEXT;
        messages[n].tag = tags[n], messages[n].tag_len = TAG;
        messages[n].status = 1;
    }
    IS(evariste_aead_seal_many(aead, messages, COUNT, sizeof *messages), EVARISTE_OK);
    for (int n = 0; n < COUNT; n++) {
        CHECK(memcmp(data[n], sealed, TEXT) == 0 && memcmp(tags[n], sealed + TEXT, TAG) == 0);
        CHECK(messages[n].status == EVARISTE_OK);
    }
    tags[3][5] ^= 1;
    data[50][0] ^= 1;
    IS(evariste_aead_open_many(aead, messages, COUNT, sizeof *messages), EVARISTE_ERROR_AUTH);
    for (int n = 0; n < COUNT; n++) {
        int forged = n == 3 || n == 50;
        CHECK(messages[n].status == (forged ? EVARISTE_ERROR_AUTH : EVARISTE_OK));
        CHECK(forged ? all(data[n], TEXT, 0) : memcmp(data[n], text, TEXT) == 0);
    }
    IS(evariste_aead_seal_many(aead, NULL, 0, sizeof *messages), EVARISTE_OK);
}

/* Memory that is aligned in C99, too. */
static void *aligned(uint8_t *storage, size_t to)
{
    return storage + (to - (uintptr_t)storage % to) % to;
}

static void own_memory(void)
{
    static uint8_t storage[EVARISTE_AEAD_STORAGE + EVARISTE_STORAGE_ALIGN];
    evariste_aead *aead = aligned(storage, EVARISTE_STORAGE_ALIGN);
    CHECK(evariste_aead_size() <= EVARISTE_AEAD_STORAGE && EVARISTE_STORAGE_ALIGN % evariste_aead_align() == 0);
    IS(evariste_aead_init(aead, evariste_aead_size(), EVARISTE_AES_128_GCM, key, sizeof key, 12, 0), EVARISTE_OK);
    CHECK(evariste_aead_tag_len(aead) == 12);
    uint8_t out[TEXT + 12];
    size_t len = 0;
    IS(evariste_aead_seal(aead, out, &len, sizeof out, nonce, sizeof nonce, aad, sizeof aad, text, TEXT), EVARISTE_OK);
    CHECK(len == sizeof out && memcmp(out, sealed, sizeof out) == 0);
    evariste_aead_cleanup(aead);
    IS(evariste_aead_seal(aead, out, &len, sizeof out, nonce, sizeof nonce, aad, sizeof aad, text, TEXT),
       EVARISTE_ERROR_STATE);
    CHECK(len == 0 && all(out, TEXT, 0) && evariste_aead_tag_len(aead) == 0 && evariste_backend_name(aead) == NULL);
    evariste_aead_cleanup(aead);
    evariste_aead_cleanup(NULL);
    IS(evariste_aead_init(aead, evariste_aead_size() - 1, EVARISTE_AES_128_GCM, key, sizeof key, 16, 0),
       EVARISTE_ERROR_BUFFER);

    static uint8_t more[EVARISTE_CTR_STORAGE + EVARISTE_STORAGE_ALIGN];
    evariste_ctr *ctr = aligned(more, EVARISTE_STORAGE_ALIGN);
    uint8_t counter[16] = {0}, back[TEXT];
    memcpy(counter, nonce, sizeof nonce);
    counter[15] = 2;
    IS(evariste_ctr_init(ctr, evariste_ctr_size(), key, sizeof key, counter, sizeof counter), EVARISTE_OK);
    IS(evariste_ctr_apply(ctr, back, TEXT, text, 23), EVARISTE_OK);
    IS(evariste_ctr_apply(ctr, back + 23, TEXT - 23, text + 23, TEXT - 23), EVARISTE_OK);
    /* GCM's text is CTR from the second counter block on. */
    CHECK(memcmp(back, sealed, TEXT) == 0);
    IS(evariste_ctr_restart(ctr, counter, sizeof counter), EVARISTE_OK);
    IS(evariste_ctr_apply(ctr, back, TEXT, back, TEXT), EVARISTE_OK);
    CHECK(memcmp(back, text, TEXT) == 0);
    memset(counter, 0xff, sizeof counter);
    IS(evariste_ctr_restart(ctr, counter, sizeof counter), EVARISTE_OK);
    IS(evariste_ctr_apply(ctr, back, TEXT, back, 17), EVARISTE_ERROR_COUNTER);
    CHECK(all(back, 17, 0) && back[17] == text[17]);
    evariste_ctr_cleanup(ctr);
    IS(evariste_ctr_apply(ctr, back, TEXT, back, 1), EVARISTE_ERROR_STATE);
}

/* Each algorithm opens what it sealed. */
static void algorithms(void)
{
    static const struct {
        int algorithm;
        size_t key, nonce;
    } each[] = {{EVARISTE_AES_128_GCM, 16, 12},     {EVARISTE_AES_192_GCM, 24, 12},     {EVARISTE_AES_256_GCM, 32, 12},
                {EVARISTE_AES_128_CCM, 16, 13},     {EVARISTE_AES_192_CCM, 24, 7},      {EVARISTE_AES_256_CCM, 32, 12},
                {EVARISTE_AES_128_GCM_SIV, 16, 12}, {EVARISTE_AES_256_GCM_SIV, 32, 12}, {EVARISTE_XAES_256_GCM, 32, 24}};
    static const uint8_t zeros[33];
    for (size_t n = 0; n < sizeof each / sizeof *each; n++) {
        evariste_aead *aead = NULL;
        uint8_t out[SEALED];
        size_t len = 0;
        IS(evariste_aead_new(&aead, each[n].algorithm, zeros, each[n].key + 1, 16, 0), EVARISTE_ERROR_KEY);
        CHECK(aead == NULL);
        IS(evariste_aead_new(&aead, each[n].algorithm, zeros, each[n].key, 16, 0), EVARISTE_OK);
        IS(evariste_aead_seal(aead, out, &len, SEALED, zeros, each[n].nonce, aad, sizeof aad, text, TEXT), EVARISTE_OK);
        CHECK(len == SEALED && memcmp(out, text, TEXT) != 0);
        IS(evariste_aead_open(aead, out, &len, SEALED, zeros, each[n].nonce, aad, sizeof aad, out, SEALED), EVARISTE_OK);
        CHECK(len == TEXT && memcmp(out, text, TEXT) == 0);
        evariste_aead_free(aead);
    }
    evariste_aead *aead = NULL;
    IS(evariste_aead_new(&aead, 0, zeros, 16, 16, 0), EVARISTE_ERROR_ARGUMENT);
    IS(evariste_aead_new(&aead, EVARISTE_AES_128_GCM, zeros, 16, 8, 0), EVARISTE_ERROR_TAG);
    IS(evariste_aead_new(NULL, EVARISTE_AES_128_GCM, zeros, 16, 16, 0), EVARISTE_ERROR_NULL);
    IS(evariste_aead_new(&aead, EVARISTE_AES_128_GCM, zeros, 16, 8, EVARISTE_SHORT_TAG), EVARISTE_OK);
    CHECK(evariste_aead_tag_len(aead) == 8);
    evariste_aead_free(aead);
    evariste_aead_free(NULL);
}

static void *thread(void *shared)
{
    const evariste_aead *aead = shared;
    long wrong = 0;
    for (int round = 0; round < 500; round++) {
        uint8_t out[SEALED];
        size_t len = 0;
        wrong += evariste_aead_seal(aead, out, &len, SEALED, nonce, sizeof nonce, aad, sizeof aad, text, TEXT) != 0;
        wrong += memcmp(out, sealed, SEALED) != 0;
        wrong += evariste_aead_open(aead, out, &len, SEALED, nonce, sizeof nonce, aad, sizeof aad, out, SEALED) != 0;
        wrong += memcmp(out, text, TEXT) != 0;
    }
    return wrong == 0 ? NULL : (void *)aead;
}

static void threads(evariste_aead *aead)
{
    enum { THREADS = 8 };
    pthread_t all_of_them[THREADS];
    for (int n = 0; n < THREADS; n++)
        CHECK(pthread_create(&all_of_them[n], NULL, thread, aead) == 0);
    for (int n = 0; n < THREADS; n++) {
        void *wrong = NULL;
        CHECK(pthread_join(all_of_them[n], &wrong) == 0 && wrong == NULL);
    }
}

/* The argument is a backend, and "choose" leaves the choice to the library. */
int main(int argc, char **argv)
{
    evariste_aead *aead = NULL;
    if (argc > 1 && strcmp(argv[1], "choose") != 0) {
        IS(evariste_set_backend(argv[1]), EVARISTE_OK);
    } else if (argc == 1) {
        backends();
    }
    IS(evariste_aead_new(&aead, EVARISTE_AES_128_GCM, key, sizeof key, EVARISTE_DEFAULT_TAG_LENGTH, 0), EVARISTE_OK);
    if (aead == NULL)
        return 1;
    printf("backend %s\n", evariste_backend_name(aead));
    whole_messages(aead);
    apart(aead);
    overlaps(aead);
    in_pieces(aead);
    many(aead);
    own_memory();
    algorithms();
    threads(aead);
    IS(evariste_aead_rekey(aead, text, 16), EVARISTE_OK);
    IS(evariste_aead_rekey(aead, key, sizeof key), EVARISTE_OK);
    whole_messages(aead);
    evariste_aead_free(aead);
    CHECK(strcmp(evariste_strerror(EVARISTE_ERROR_AUTH), "the message is not authentic") == 0);
    printf("%d failures\n", failures);
    return failures != 0;
}
