/* evariste: AES-GCM, CCM, GCM-SIV, XAES-256-GCM and CTR as fast as each CPU allows, in constant time.
 *
 * Written from crates/evariste-capi by `cargo xtask header`.
 *
 * All sizes are in bytes. What follows holds for every function.
 *
 * Results. Functions that can fail return an int: EVARISTE_OK, which is 0, or one of the negative EVARISTE_ERROR_...
 * codes below. Comments name those that a function returns, EVARISTE_ERROR_INTERNAL aside, which any may and none should.
 * Look at what evariste_aead_open returns before you look at the text.
 *
 * Failure. Nothing secret and nothing half done is left in an output: what would have been written is zero, as far as the
 * room that the caller named goes, and lengths that would have been set are 0. Only after EVARISTE_ERROR_OVERLAP buffers
 * are as they were, since zeros would destroy another one. No Rust panic comes through, and no failure ends the program
 * but one: where there is no memory for the list of backends, a few hundred bytes, which their names are asked of.
 *
 * Pointers. A pointer that comes with a length must be good for so many bytes; where the length is 0 it may be anything,
 * also NULL. With another length NULL is refused: EVARISTE_ERROR_NULL. max_... is the room at an output; less is written
 * if less is needed, and nothing behind it is touched.
 *
 * Overlap. An output may be the input in place: the same pointer. Any other overlap of what is written with anything that
 * the call reads or writes, the object and its key among it, is refused before a byte is written: EVARISTE_ERROR_OVERLAP.
 * What is only read may overlap, also with a length that is written, which is done last.
 *
 * Objects. They live on the heap (..._new, ..._free) or in memory of the caller (..._init, ..._cleanup), which has
 * ..._size() bytes, at most EVARISTE_..._STORAGE, aligned to ..._align(), at most EVARISTE_STORAGE_ALIGN. They must not be
 * copied or moved. Either way secrets are wiped at the end. The library keeps no pointer to anything else of the caller.
 * ..._free and ..._cleanup take NULL; all else refuses it.
 *
 * Threads. A key (evariste_aead) does not change after it is made: any number of threads may seal and open under it at
 * the same time. All other objects are for one thread at a time, and so is making, replacing and wiping a key. Functions
 * without an object may be called at any time.
 *
 * Constant time. Time and addresses do not depend on keys or texts, and on a tag only by whether it is right. They do
 * depend on lengths, nonces, additional data and the backend.
 *
 * Versions. Structures and functions are only added while the soname is the same; see CONTRIBUTING.md, "Versions".
 */


#ifndef EVARISTE_H
#define EVARISTE_H

#include <stddef.h>
#include <stdint.h>

/**
 * Success.
 */
#define EVARISTE_OK 0

/**
 * The message is not authentic. Opening says nothing else about a message, whatever is wrong with it.
 */
#define EVARISTE_ERROR_AUTH (-1)

/**
 * A pointer is null where it must not be: its length is not 0, or it is an object or a result.
 */
#define EVARISTE_ERROR_NULL (-2)

/**
 * Something that would be written overlaps something else, and is not the input in place. No buffer was written.
 */
#define EVARISTE_ERROR_OVERLAP (-3)

/**
 * The room for the output, or for the object, is too small, or the object's place is not aligned.
 */
#define EVARISTE_ERROR_BUFFER (-4)

/**
 * There is no such algorithm, operation, flag or size of a structure, or the algorithm does not have this call.
 */
#define EVARISTE_ERROR_ARGUMENT (-5)

/**
 * The key is not of the algorithm's length.
 */
#define EVARISTE_ERROR_KEY (-6)

/**
 * The tag length is not one of the algorithm's, or a short one without EVARISTE_SHORT_TAG.
 */
#define EVARISTE_ERROR_TAG (-7)

/**
 * The nonce, or the first counter block, is not of a length the algorithm takes.
 */
#define EVARISTE_ERROR_NONCE (-8)

/**
 * The additional data is longer than the algorithm, or its announced length, allows.
 */
#define EVARISTE_ERROR_AAD (-9)

/**
 * The text is longer than the algorithm, the nonce's length or its announced length allows.
 */
#define EVARISTE_ERROR_TEXT (-10)

/**
 * The text, or the additional data, ended before its announced length.
 */
#define EVARISTE_ERROR_UNFINISHED (-11)

/**
 * The counter would pass its end and the keystream repeat.
 */
#define EVARISTE_ERROR_COUNTER (-12)

/**
 * The object is in no state for this call: without a key, or without a message that has begun; or it is too late for
 * evariste_set_backend.
 */
#define EVARISTE_ERROR_STATE (-13)

/**
 * There is no backend of this name, or number, or this CPU cannot run it.
 */
#define EVARISTE_ERROR_BACKEND (-14)

/**
 * There is no memory left.
 */
#define EVARISTE_ERROR_MEMORY (-15)

/**
 * A bug in the library, which was stopped from going further. Please report it.
 */
#define EVARISTE_ERROR_INTERNAL (-16)

/**
 * AES-128-GCM (SP 800-38D). Key of 16 bytes; nonce of at least one byte, 12 is the usual and fast one; tags of 12 to 16
 * bytes, with EVARISTE_SHORT_TAG of 4 or 8; text of at most 2^36 - 32 bytes, additional data of at most 2^61 - 1. A
 * nonce must never be used twice under a key: that gives away the texts and the means to forge. At most 2^32 messages
 * may be sealed under one key with random nonces (section 8.3), which the caller counts.
 */
#define EVARISTE_AES_128_GCM 1

/**
 * The same with a key of 24 bytes.
 */
#define EVARISTE_AES_192_GCM 2

/**
 * The same with a key of 32 bytes.
 */
#define EVARISTE_AES_256_GCM 3

/**
 * AES-128-CCM (SP 800-38C, RFC 3610). Key of 16 bytes; nonce of n = 7 to 13 bytes, never twice under a key; tags of 8,
 * 10, 12, 14 or 16 bytes, with EVARISTE_SHORT_TAG of 4 or 6; text shorter than 2^(8(15 - n)) bytes. A key may encrypt at
 * most 2^61 blocks in all (section 5.3), about two for 16 bytes of text, which the caller counts.
 */
#define EVARISTE_AES_128_CCM 4

/**
 * The same with a key of 24 bytes.
 */
#define EVARISTE_AES_192_CCM 5

/**
 * The same with a key of 32 bytes.
 */
#define EVARISTE_AES_256_CCM 6

/**
 * AES-128-GCM-SIV (RFC 8452). Key of 16 bytes, nonce of 12, tag of 16; text and additional data of at most 2^36 bytes
 * each. A nonce used twice tells whether two messages are equal, and no more. Not for messages in pieces.
 */
#define EVARISTE_AES_128_GCM_SIV 7

/**
 * The same with a key of 32 bytes.
 */
#define EVARISTE_AES_256_GCM_SIV 8

/**
 * XAES-256-GCM (C2SP). Key of 32 bytes, nonce of 24, which may be drawn at random for 2^80 messages, tag of 16; lengths
 * as AES-256-GCM. Not for messages in pieces.
 */
#define EVARISTE_XAES_256_GCM 9

/**
 * As a tag length: 16 bytes, which all algorithms have.
 */
#define EVARISTE_DEFAULT_TAG_LENGTH 0

/**
 * As a flag: the tag length is one of the short ones, for protocols that bound the messages and the forgeries tried
 * under a key (SP 800-38D appendix C, SP 800-38C appendix B): each forgery tried helps the next.
 */
#define EVARISTE_SHORT_TAG 1

/**
 * Bytes that are enough for an evariste_aead in all versions of the library with this soname.
 */
#define EVARISTE_AEAD_STORAGE 4096

/**
 * What memory for objects must be aligned to.
 */
#define EVARISTE_STORAGE_ALIGN 64

/**
 * Bytes that are enough for an evariste_stream in all versions of the library with this soname.
 */
#define EVARISTE_STREAM_STORAGE 1024

/**
 * As an operation: texts are encrypted.
 */
#define EVARISTE_SEAL 1

/**
 * As an operation: texts are decrypted, and handed out *before* anything says that they are authentic. A program that acts
 * on such text, or only shows it, lets an attacker learn from how it reacts: hold it back until
 * evariste_stream_finish_open returns 0, and throw it away if it does not.
 */
#define EVARISTE_OPEN_UNVERIFIED 2

/**
 * Bytes that are enough for an evariste_ctr in all versions of the library with this soname.
 */
#define EVARISTE_CTR_STORAGE 1024

/**
 * The version of this header: of the library that it came with.
 */
#define EVARISTE_VERSION_MAJOR 0

/**
 * Its second number. While the first is 0, another one is another interface, with another soname.
 */
#define EVARISTE_VERSION_MINOR 1

/**
 * Its third number.
 */
#define EVARISTE_VERSION_PATCH 0

/**
 * A key of an AEAD, expanded, with the tag length and the backend that go with it. It does not change once it is made, so
 * that any number of threads may use it at the same time. It must stay where it is: not be copied, not be moved.
 */
typedef struct evariste_aead evariste_aead;

/**
 * AES in counter mode (SP 800-38A section 6.5): a key, and where its keystream stands. The counter has 128 bits,
 * big-endian. No counter block may ever be used twice under a key, and nothing protects the text from being changed: prefer
 * an AEAD. To be used by one thread at a time; it must stay where it is.
 */
typedef struct evariste_ctr evariste_ctr;

/**
 * One message after the other under keys for AES-GCM and AES-CCM, in pieces of any length. To be used by one thread at a
 * time. It must stay where it is, and so must the key, from the beginning of a message until its end.
 *
 * A message is: begin, additional data, text, finish. Whatever fails on the way ends it: until another one begins, every
 * call fails, with EVARISTE_ERROR_STATE unless its buffers have an error of their own.
 */
typedef struct evariste_stream evariste_stream;

/**
 * One of several messages, in place. Set it to zeros first: members that come later will mean nothing then.
 */
typedef struct evariste_message {
  /**
   * Its nonce, unique under the key.
   */
  const uint8_t *nonce;
  /**
   * Bytes at `nonce`.
   */
  size_t nonce_len;
  /**
   * What is authenticated but not encrypted.
   */
  const uint8_t *aad;
  /**
   * Bytes at `aad`.
   */
  size_t aad_len;
  /**
   * The text, which is encrypted or decrypted where it is.
   */
  uint8_t *data;
  /**
   * Bytes at `data`.
   */
  size_t data_len;
  /**
   * The tag: written by sealing, compared by opening.
   */
  uint8_t *tag;
  /**
   * Bytes at `tag`: evariste_aead_tag_len().
   */
  size_t tag_len;
  /**
   * Set for every message: 0, or what went wrong with it.
   */
  int status;
} evariste_message;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * An English sentence for a code, without a full stop; for what is no code, one that says so. Never null, and never to
 * be freed.
 */
const char *evariste_strerror(int status);

/**
 * Bytes that an evariste_aead takes: never more than EVARISTE_AEAD_STORAGE.
 */
size_t evariste_aead_size(void);

/**
 * What memory for an evariste_aead must be aligned to: never more than EVARISTE_STORAGE_ALIGN.
 */
size_t evariste_aead_align(void);

/**
 * Makes a key in memory of the caller, which has `size` bytes and may hold anything: an object that is there already must
 * have been cleaned up. `key` has the length that the algorithm says; the caller may wipe it afterwards. `tag_len` is the
 * length of all its tags, or EVARISTE_DEFAULT_TAG_LENGTH; `flags` is 0 or EVARISTE_SHORT_TAG. The backend is
 * the default one, which with the first key is decided for good (see evariste_set_backend).
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _BUFFER (`size` is less than evariste_aead_size(), or `aead` is not aligned),
 * _OVERLAP (the key lies in the object), _ARGUMENT (`algorithm`, `flags`), _KEY, _TAG. After a failure other than the
 * first three the object is there, without a key: every call with it returns EVARISTE_ERROR_STATE.
 */
int evariste_aead_init(struct evariste_aead *aead,
                       size_t size,
                       int algorithm,
                       const uint8_t *key,
                       size_t key_len,
                       size_t tag_len,
                       unsigned int flags);

/**
 * Wipes a key in memory of the caller; the memory is the caller's again. Null, and an object without a key, are nothing
 * to do. Streams that began a message under the key must not be used any more but to clean them up, or to begin
 * another.
 */
void evariste_aead_cleanup(struct evariste_aead *aead);

/**
 * Makes a key on the heap, as evariste_aead_init does, and leaves a pointer to it in `*aead`; null after a failure. To be
 * given back with evariste_aead_free.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _OVERLAP (the key lies in `*aead`), _ARGUMENT, _KEY, _TAG, _MEMORY. After
 * EVARISTE_ERROR_OVERLAP `*aead` is as it was.
 */
int evariste_aead_new(struct evariste_aead **aead,
                      int algorithm,
                      const uint8_t *key,
                      size_t key_len,
                      size_t tag_len,
                      unsigned int flags);

/**
 * Wipes a key from evariste_aead_new and gives its memory back. Null is nothing to do. What evariste_aead_cleanup
 * says of streams goes here too.
 */
void evariste_aead_free(struct evariste_aead *aead);

/**
 * Replaces a key in place by another one for the same algorithm, tag length and backend: cheaper than a new object. No
 * other thread may use the object meanwhile, and no stream may be in a message under the old key.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE (there is no key to replace), _OVERLAP (the key lies in the object),
 * _KEY; after a failure the old key stays.
 */
int evariste_aead_rekey(struct evariste_aead *aead,
                        const uint8_t *key,
                        size_t key_len);

/**
 * The length of the tags under a key in bytes; 0 for null and without a key.
 */
size_t evariste_aead_tag_len(const struct evariste_aead *aead);

/**
 * Encrypts `in_len` bytes at `in` to `out`, and writes the tag behind them.
 *
 * `max_out` is the room at `out`: at least `in_len` and the length of the tag. `*out_len` is set to the sum of the two,
 * after a failure to 0. `out` may be `in`.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP, _BUFFER, _NONCE, _AAD, _TEXT. After a failure what would have been
 * written is zero, as far as there is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
 */
int evariste_aead_seal(const struct evariste_aead *aead,
                       uint8_t *out,
                       size_t *out_len,
                       size_t max_out,
                       const uint8_t *nonce,
                       size_t nonce_len,
                       const uint8_t *aad,
                       size_t aad_len,
                       const uint8_t *in,
                       size_t in_len);

/**
 * Checks the tag, the last bytes of the `in_len` at `in`, and decrypts what stands before it to `out`.
 *
 * `max_out` is the room at `out`: at least `in_len` less the length of the tag. `*out_len` is set to that, after a failure
 * to 0. `out` may be `in`.
 *
 * Returns 0, or EVARISTE_ERROR_AUTH, _NULL, _STATE, _OVERLAP, _BUFFER. Whatever makes a message impossible, a nonce of
 * the wrong length say, is EVARISTE_ERROR_AUTH. After a failure what would have been written is zero, as far as there
 * is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
 */
int evariste_aead_open(const struct evariste_aead *aead,
                       uint8_t *out,
                       size_t *out_len,
                       size_t max_out,
                       const uint8_t *nonce,
                       size_t nonce_len,
                       const uint8_t *aad,
                       size_t aad_len,
                       const uint8_t *in,
                       size_t in_len);

/**
 * Encrypts `in_len` bytes at `in` to as many at `out`, and writes the tag to `tag`: evariste_aead_tag_len() bytes. With
 * no text this is GMAC, or CBC-MAC with a nonce.
 *
 * `max_out` and `max_tag` are the room at `out` and `tag`. `out` may be `in`.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP, _BUFFER, _NONCE, _AAD, _TEXT. After a failure what would have been
 * written is zero, as far as there is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
 */
int evariste_aead_seal_detached(const struct evariste_aead *aead,
                                uint8_t *out,
                                size_t max_out,
                                uint8_t *tag,
                                size_t max_tag,
                                const uint8_t *nonce,
                                size_t nonce_len,
                                const uint8_t *aad,
                                size_t aad_len,
                                const uint8_t *in,
                                size_t in_len);

/**
 * Checks the tag of `tag_len` bytes at `tag` and decrypts `in_len` bytes at `in` to as many at `out`.
 *
 * `max_out` is the room at `out`, which may be `in`.
 *
 * Returns 0, or EVARISTE_ERROR_AUTH, _NULL, _STATE, _OVERLAP, _BUFFER. Whatever makes a message impossible, a nonce or a
 * tag of the wrong length say, is EVARISTE_ERROR_AUTH. After a failure what would have been written is zero, as far as
 * there is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
 */
int evariste_aead_open_detached(const struct evariste_aead *aead,
                                uint8_t *out,
                                size_t max_out,
                                const uint8_t *tag,
                                size_t tag_len,
                                const uint8_t *nonce,
                                size_t nonce_len,
                                const uint8_t *aad,
                                size_t aad_len,
                                const uint8_t *in,
                                size_t in_len);

/**
 * Seals `count` independent messages in place, each as by evariste_aead_seal_detached. CCM runs them side by side, eight
 * long ones in a fourth of the time; short ones of GCM save calls.
 *
 * `message_size` is sizeof(evariste_message): programs that know fewer or more members than the library go on working. No
 * message's text or tag may overlap anything of another one; of messages next to each other, 32 at a time, that is
 * checked. Nothing here may lie in the array.
 *
 * All are sealed, or none: returns 0, or EVARISTE_ERROR_NULL, _STATE, _ARGUMENT (`message_size`), _OVERLAP, _BUFFER (a tag
 * of another length), _NONCE, _AAD, _TEXT if any message has such an error; so does the `status` of each, if there is an
 * array and a key. After _NULL, _STATE, _ARGUMENT and _OVERLAP texts and tags are untouched, after the others zero.
 */
int evariste_aead_seal_many(const struct evariste_aead *aead,
                            struct evariste_message *messages,
                            size_t count,
                            size_t message_size);

/**
 * Opens `count` independent messages in place, each as by evariste_aead_open_detached, whatever becomes of the others:
 * `status` of each is 0 or EVARISTE_ERROR_AUTH, and the text of the latter zero. The rest is as with
 * evariste_aead_seal_many.
 *
 * Returns 0 if all are authentic, EVARISTE_ERROR_AUTH if one is not; or EVARISTE_ERROR_NULL, _STATE, _ARGUMENT, _OVERLAP,
 * or _NONCE, _AAD, _TEXT for a length that no memory has, after which texts are untouched.
 */
int evariste_aead_open_many(const struct evariste_aead *aead,
                            struct evariste_message *messages,
                            size_t count,
                            size_t message_size);

/**
 * Bytes that an evariste_stream takes: never more than EVARISTE_STREAM_STORAGE.
 */
size_t evariste_stream_size(void);

/**
 * What memory for an evariste_stream must be aligned to: never more than EVARISTE_STORAGE_ALIGN.
 */
size_t evariste_stream_align(void);

/**
 * Makes a stream in memory of the caller, which has `size` bytes and may hold anything. No message has begun.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _BUFFER (`size` is less than evariste_stream_size(), or `stream` is not aligned).
 */
int evariste_stream_init(struct evariste_stream *stream,
                         size_t size);

/**
 * Wipes a stream in memory of the caller, and ends its message; the memory is the caller's again. Null is nothing to do.
 */
void evariste_stream_cleanup(struct evariste_stream *stream);

/**
 * Makes a stream on the heap, and leaves a pointer to it in `*stream`; null after a failure. To be given back with
 * evariste_stream_free.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _MEMORY.
 */
int evariste_stream_new(struct evariste_stream **stream);

/**
 * Wipes a stream from evariste_stream_new and gives its memory back. Null is nothing to do.
 */
void evariste_stream_free(struct evariste_stream *stream);

/**
 * Begins a message under a key for AES-GCM; one that has not been finished is given up. `operation` is EVARISTE_SEAL or
 * EVARISTE_OPEN_UNVERIFIED.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE (the key object has no key), _ARGUMENT (`operation`, or a key for something
 * else), _OVERLAP (the nonce lies in the stream), _NONCE.
 */
int evariste_stream_begin(struct evariste_stream *stream,
                          const struct evariste_aead *aead,
                          int operation,
                          const uint8_t *nonce,
                          size_t nonce_len);

/**
 * Begins a message under a key for AES-CCM, of exactly `aad_len` bytes of additional data and `text_len` bytes of text,
 * which are the first thing that is authenticated; one that has not been finished is given up. `operation` is
 * EVARISTE_SEAL or EVARISTE_OPEN_UNVERIFIED.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE (the key object has no key), _ARGUMENT (`operation`, or a key for something
 * else), _OVERLAP (the nonce lies in the stream), _NONCE, _TEXT.
 */
int evariste_stream_begin_ccm(struct evariste_stream *stream,
                              const struct evariste_aead *aead,
                              int operation,
                              const uint8_t *nonce,
                              size_t nonce_len,
                              uint64_t aad_len,
                              uint64_t text_len);

/**
 * Takes in the next piece of additional data, before all text.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP (it lies in the stream), _AAD (the total is too long, or longer than
 * announced). A failure ends the message.
 */
int evariste_stream_aad(struct evariste_stream *stream,
                        const uint8_t *aad,
                        size_t aad_len);

/**
 * Encrypts or decrypts the next piece of text: `in_len` bytes at `in`, to as many at `out`, which may be `in`. `max_out`
 * is the room at `out`.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP, _BUFFER, _TEXT (the total is too long, or longer than announced),
 * _UNFINISHED (less additional data than announced). A failure ends the message; what would have been written is zero
 * then, as far as there is room for it; after EVARISTE_ERROR_OVERLAP it is untouched.
 */
int evariste_stream_update(struct evariste_stream *stream,
                           uint8_t *out,
                           size_t max_out,
                           const uint8_t *in,
                           size_t in_len);

/**
 * Ends a message that was being sealed, and writes its tag to `tag`: evariste_aead_tag_len() bytes, to which `*tag_len` is
 * set; after a failure to 0. `max_tag` is the room at `tag`.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE (which includes that the message was being opened), _OVERLAP, _BUFFER,
 * _UNFINISHED (less than announced). The message has ended in any case.
 */
int evariste_stream_finish_seal(struct evariste_stream *stream,
                                uint8_t *tag,
                                size_t *tag_len,
                                size_t max_tag);

/**
 * Ends a message that was being opened, and compares its tag with the `tag_len` bytes at `tag`, in constant time.
 *
 * Returns 0, or EVARISTE_ERROR_AUTH: then all that was handed out must be thrown away; or EVARISTE_ERROR_NULL, _STATE
 * (which includes that the message was being sealed), _OVERLAP (the tag lies in the stream). The message has ended in any
 * case.
 */
int evariste_stream_finish_open(struct evariste_stream *stream,
                                const uint8_t *tag,
                                size_t tag_len);

/**
 * Bytes that an evariste_ctr takes: never more than EVARISTE_CTR_STORAGE.
 */
size_t evariste_ctr_size(void);

/**
 * What memory for an evariste_ctr must be aligned to: never more than EVARISTE_STORAGE_ALIGN.
 */
size_t evariste_ctr_align(void);

/**
 * Makes a key in memory of the caller, which has `size` bytes and may hold anything: an object that is there already must
 * have been cleaned up. `key` has 16, 24 or 32 bytes; the keystream starts at the counter block `iv` of 16 bytes.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _BUFFER (`size` is less than evariste_ctr_size(), or `ctr` is not aligned), _OVERLAP
 * (key or `iv` lie in the object), _KEY, _NONCE. After a failure other than the first three the object is there, without
 * a key: every call with it returns EVARISTE_ERROR_STATE.
 */
int evariste_ctr_init(struct evariste_ctr *ctr,
                      size_t size,
                      const uint8_t *key,
                      size_t key_len,
                      const uint8_t *iv,
                      size_t iv_len);

/**
 * Wipes a key in memory of the caller; the memory is the caller's again. Null is nothing to do.
 */
void evariste_ctr_cleanup(struct evariste_ctr *ctr);

/**
 * Makes a key on the heap, as evariste_ctr_init does, and leaves a pointer to it in `*ctr`; null after a failure. To be
 * given back with evariste_ctr_free.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _OVERLAP (key or `iv` lie in `*ctr`), _KEY, _NONCE, _MEMORY. After
 * EVARISTE_ERROR_OVERLAP `*ctr` is as it was.
 */
int evariste_ctr_new(struct evariste_ctr **ctr,
                     const uint8_t *key,
                     size_t key_len,
                     const uint8_t *iv,
                     size_t iv_len);

/**
 * Wipes a key from evariste_ctr_new and gives its memory back. Null is nothing to do.
 */
void evariste_ctr_free(struct evariste_ctr *ctr);

/**
 * Starts the keystream at another counter block of 16 bytes. To go to byte n of a keystream that starts at `iv`, start at
 * the number `iv` + n / 16, and throw n % 16 bytes away.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP (`iv` lies in the object), _NONCE; after a failure the keystream goes
 * on where it was.
 */
int evariste_ctr_restart(struct evariste_ctr *ctr,
                         const uint8_t *iv,
                         size_t iv_len);

/**
 * Encrypts or decrypts, which is the same: writes the next `in_len` bytes of the keystream, XORed with those at `in`, to
 * `out`, which may be `in`. `max_out` is the room at `out`. Calls go on where the one before ended, at any byte.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _STATE, _OVERLAP, _BUFFER, _TEXT, _COUNTER (the counter would pass 2^128 - 1). After a
 * failure the keystream goes on where it was, and what would have been written is zero, as far as there is room for it;
 * after EVARISTE_ERROR_OVERLAP it is untouched.
 */
int evariste_ctr_apply(struct evariste_ctr *ctr,
                       uint8_t *out,
                       size_t max_out,
                       const uint8_t *in,
                       size_t in_len);

/**
 * The version of the library that is running, as "0.1.0". Never to be freed.
 */
const char *evariste_version(void);

/**
 * The name of backend number `index`, fastest first on this CPU, as "vaes512" or "portable"; null behind the last one.
 * All that the library has for this architecture are numbered, also those that this CPU cannot run. Never to be freed.
 */
const char *evariste_backend_at(size_t index);

/**
 * Why this CPU cannot run backend number `index`, as "this CPU lacks avx512"; null if it can, or behind the last one.
 * Never to be freed.
 */
const char *evariste_backend_reason(size_t index);

/**
 * The name of the backend that a key was made for; null for null and without a key. Never to be freed.
 */
const char *evariste_backend_name(const struct evariste_aead *aead);

/**
 * Makes a backend the default, which keys are made for from now on, in all threads. Without it, that is the fastest that
 * this CPU can run, or what the environment variable EVARISTE_BACKEND names. It can be set, and set anew, until a first
 * key is asked for, of an AEAD or of CTR, even in vain; then it is decided for good.
 *
 * Returns 0, or EVARISTE_ERROR_NULL, _BACKEND (there is none of this name, or this CPU cannot run it), _STATE (it is too
 * late, even for the one that is the default).
 */
int evariste_set_backend(const char *name);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* EVARISTE_H */
