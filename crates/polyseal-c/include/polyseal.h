/*
 * polyseal.h - Polyseal for C
 *
 * Authenticated encryption with associated data (AEAD): AEGIS, XAES and
 * KC-XAES-GCM, AES-GCM, Flex, OMD; MACs; and encrypted files of which any part
 * can be read.
 *
 *   1. Rules for all functions
 *   2. Errors
 *   3. The library
 *   4. AEADs: one call, one message
 *   5. Prepared keys
 *   6. Many messages at once
 *   7. Messages in pieces
 *   8. MACs
 *   9. Files: keys and options
 *  10. Files: whole ones
 *  11. Files: parts of one
 *  12. Files: what one says without a key
 *  13. Files: other recipients
 *  14. Ciphers that are no AEADs, for experts
 *
 * This file is written by a test of the library, from its sources.
 */

#ifndef POLYSEAL_H
#define POLYSEAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POLYSEAL_VERSION_STRING "0.1.0"

/* ---------------------------------------------------------------------------
 * 1. Rules for all functions
 *
 * Functions return 0 on success and -1 on failure: then polyseal_last_error
 * says why. Exceptions are documented.
 *
 * There is nothing to initialise. All functions may be called from any thread,
 * and those with a const handle from several at once. A handle that is not
 * const is used by one thread at a time.
 *
 * Lengths are in bytes. NULL is allowed where the length is 0.
 *
 * An output may be the very buffer that the input is in, so that a message is
 * sealed or opened in place: then it begins where the input begins. Any other
 * overlap of an output with an input, or with another output, is
 * POLYSEAL_ERR_OVERLAP, and nothing is done.
 *
 * The library cannot check these rules: a pointer leads to as many bytes as
 * you say, or as the algorithm needs; a handle is freed once; nobody writes to
 * a buffer while a function has it.
 *
 * A nonce is never used twice under one key, unless the algorithm's entry says
 * what happens then. Draw nonces of 24 bytes and more, or of AEGIS, with
 * polyseal_random; count those of 12 bytes.
 *
 * When a message is not authentic, the output is zeros. Never use it.
 *
 * If a small allocation of the library's own fails, it ends the process, as
 * most programs do; if a large one fails, it gives POLYSEAL_ERR_MEMORY.
 *
 * A library can be built without files, Flex or OMD: then define
 * POLYSEAL_NO_FILES, POLYSEAL_NO_FLEX or POLYSEAL_NO_OMD before this header,
 * and it declares what there is. CMake's targets define them.
 * ------------------------------------------------------------------------ */

/* ---------------------------------------------------------------------------
 * 2. Errors
 * ------------------------------------------------------------------------ */

enum polyseal_error {
    POLYSEAL_OK = 0,
    /* not authentic: wrong key, or altered data */
    POLYSEAL_ERR_UNAUTHENTIC = 1,
    /* a null pointer where there must be something */
    POLYSEAL_ERR_NULL = 2,
    /* an output overlaps an input, or another output */
    POLYSEAL_ERR_OVERLAP = 3,
    /* a key, nonce, tag or buffer of another length than is needed */
    POLYSEAL_ERR_LENGTH = 4,
    /* longer than the algorithm's limit */
    POLYSEAL_ERR_TOO_LONG = 5,
    /* no algorithm has this name, or no such parameter */
    POLYSEAL_ERR_ALGORITHM = 6,
    /* the algorithm cannot do this */
    POLYSEAL_ERR_UNSUPPORTED = 7,
    /* called after the end */
    POLYSEAL_ERR_FINISHED = 8,
    /* the operating system gave no random bytes */
    POLYSEAL_ERR_RANDOM = 9,
    /* a known-answer test failed: do not use this build on this machine */
    POLYSEAL_ERR_SELFTEST = 10,
    /* a field of the options has an invalid value */
    POLYSEAL_ERR_OPTIONS = 11,
    /* a text that is not UTF-8 */
    POLYSEAL_ERR_TEXT = 12,
    /* there is not the memory */
    POLYSEAL_ERR_MEMORY = 13,
    /* a defect of this library; it is still safe to use */
    POLYSEAL_ERR_DEFECT = 14,
    /* the system, or read_at, could not read or write */
    POLYSEAL_ERR_IO = 20,
    /* the output exists, and was not to be replaced */
    POLYSEAL_ERR_EXISTS = 21,
    /* not an encrypted file */
    POLYSEAL_ERR_NOT_ENCRYPTED = 22,
    /* a file of a version that this library does not read */
    POLYSEAL_ERR_VERSION = 23,
    /* the file's header is not as it may be, or not as it was written */
    POLYSEAL_ERR_HEADER = 24,
    /* the file is for none of the keys that were given */
    POLYSEAL_ERR_NO_MATCHING_KEY = 25,
    /* the file has a passphrase, and another or none was given */
    POLYSEAL_ERR_PASSPHRASE = 26,
    /* another context, or none, than the file is bound to */
    POLYSEAL_ERR_CONTEXT = 27,
    /* nobody to encrypt for, or those who do not go together */
    POLYSEAL_ERR_RECIPIENTS = 28,
    /* a part of the file is not as it was written */
    POLYSEAL_ERR_CORRUPT = 29,
    /* the file has been cut short or extended */
    POLYSEAL_ERR_TRUNCATED = 30,
    /* the input changed while it was read */
    POLYSEAL_ERR_CHANGED = 31,
    /* not a key file, or a key of age that cannot be used */
    POLYSEAL_ERR_KEY_FILE = 32,
    /* no algorithm, or no size of segments, for files */
    POLYSEAL_ERR_SUITE = 33,
    /* armour that is not as it should be */
    POLYSEAL_ERR_ARMOR = 34,
    /* the input grew while it was read: the output has its first length */
    POLYSEAL_ERR_GREW = 35,
    /* the keeper of a key that is kept elsewhere does not give it */
    POLYSEAL_ERR_KEEPER = 36
};

/*
 * Why the last function of this thread failed that did: one of the numbers
 * above, or POLYSEAL_OK if none has. A function that succeeds does not change
 * it.
 */
int polyseal_last_error(void);

/*
 * The same in words, with details that the number leaves out: lengths, and the
 * system's answer. It may hold names of files, never a secret. Valid until the
 * next function of this thread fails.
 */
const char *polyseal_last_error_text(void);

/* The meaning of a number, in words that last as long as the program. */
const char *polyseal_strerror(int error);

/* ---------------------------------------------------------------------------
 * 3. The library
 * ------------------------------------------------------------------------ */

/* The version of the library, such as "0.1.0". */
const char *polyseal_version(void);

/*
 * Asks every algorithm, on every kind of instructions that this CPU has, for
 * one known answer. It takes a few milliseconds, and no other function needs
 * it.
 *
 * Errors: POLYSEAL_ERR_SELFTEST: do not use this build on this machine.
 */
int polyseal_selftest(void);

/*
 * Fills buf, of len bytes, with random bytes of the operating system: for
 * keys, and for nonces of 16 bytes and more.
 *
 * Errors: POLYSEAL_ERR_RANDOM.
 */
int polyseal_random(uint8_t *buf, size_t len);

/* Overwrites buf, of len bytes, with zeros; no compiler leaves it out. */
int polyseal_memzero(uint8_t *buf, size_t len);

/* The properties of an algorithm. Sizes are in bytes. */
typedef struct polyseal_algorithm {
    /* The length of its keys. */
    size_t keybytes;
    /* The length of its nonces. */
    size_t npubbytes;
    /*
     * The length of its tags: all that a sealed message has beside the
     * ciphertext; of one that is cut into segments, all that a segment has.
     */
    size_t abytes;
    /*
     * How many bytes of the tag stand before the ciphertext: the nonce,
     * encrypted, where it is hidden. Otherwise 0.
     */
    size_t headbytes;
    /* The longest message. */
    uint64_t messagebytes_max;
    /* 1 for a MAC, 0 for an AEAD. */
    int mac;
    /*
     * 1 if messages are cut into segments, so that there are no detached
     * calls; otherwise 0.
     */
    int segments;
    /*
     * 1 if there are polyseal_encryptor_new and polyseal_decryptor_new, or
     * polyseal_macstate_new, for it; otherwise 0.
     */
    int pieces;
} polyseal_algorithm;

/*
 * Writes to *algorithm the properties of the algorithm of that name.
 *
 * Errors: POLYSEAL_ERR_ALGORITHM.
 */
int polyseal_algorithm_get(polyseal_algorithm *algorithm, const char *name);

/*
 * The names of all families of algorithms, by their place from 0; NULL behind
 * the last.
 */
const char *polyseal_algorithm_name(size_t place);

/* ---------------------------------------------------------------------------
 * 4. AEADs: one call, one message
 *
 *     uint8_t k[polyseal_kc_xaes256gcm_KEYBYTES];
 *     uint8_t npub[polyseal_kc_xaes256gcm_NPUBBYTES];
 *     uint8_t c[sizeof m + polyseal_kc_xaes256gcm_ABYTES];
 *
 *     polyseal_kc_xaes256gcm_keygen(k);
 *     polyseal_random(npub, sizeof npub);
 *     polyseal_kc_xaes256gcm_encrypt(c, m, sizeof m, ad, adlen, npub, k);
 *
 * Each call expands the key anew, and wipes that: for more than one message
 * under a key, section 5 is faster.
 *
 * polyseal_NAME_keygen(k)
 *     Writes a random key, KEYBYTES of it, to k.
 *
 * polyseal_NAME_encrypt(c, m, mlen, ad, adlen, npub, k)
 *     Seals m, of mlen bytes, into c, of mlen + ABYTES bytes: the ciphertext
 *     and then the tag. (flex, flex_och and flex_civ hide the nonce: there
 *     headbytes of the tag, the encrypted nonce, come before the ciphertext.)
 *
 * polyseal_NAME_decrypt(m, c, clen, ad, adlen, npub, k)
 *     Opens c, of clen bytes, into m, of clen - ABYTES bytes. Gives -1, and m
 *     is zeros, if c, ad, npub or k are not those that it was sealed with.
 *
 * polyseal_NAME_encrypt_detached(c, mac, m, mlen, ad, adlen, npub, k)
 * polyseal_NAME_decrypt_detached(m, c, clen, mac, ad, adlen, npub, k)
 *     The same with the tag apart: c is as long as m, mac has ABYTES.
 *
 * polyseal_NAME_keybytes(), _npubbytes(), _abytes(), _messagebytes_max()
 *     The lengths, and that of the longest message, for programs that have no
 *     macros.
 *
 * Errors: POLYSEAL_ERR_UNAUTHENTIC, POLYSEAL_ERR_NULL, POLYSEAL_ERR_OVERLAP,
 * POLYSEAL_ERR_TOO_LONG; POLYSEAL_ERR_LENGTH for a c that is shorter than a
 * tag; POLYSEAL_ERR_RANDOM of keygen.
 *
 * In the entries below, "random nonces" says how many messages a key may have
 * with them; "a repeated nonce" what that costs; "commits" what the ciphertext
 * commits to, and the work of opening it with two of these.
 * ------------------------------------------------------------------------ */

#define POLYSEAL_SIZE_(bytes)                                                 \
    ((size_t)((bytes) < SIZE_MAX ? (bytes) : SIZE_MAX))

#define POLYSEAL_SIZES_(name)                                                 \
    size_t polyseal_##name##_keybytes(void);                                  \
    size_t polyseal_##name##_npubbytes(void);                                 \
    size_t polyseal_##name##_abytes(void);                                    \
    int polyseal_##name##_keygen(uint8_t *k);

#define POLYSEAL_WHOLE_(name)                                                 \
    POLYSEAL_SIZES_(name)                                                     \
    size_t polyseal_##name##_messagebytes_max(void);                          \
    int polyseal_##name##_encrypt(uint8_t *c, const uint8_t *m, size_t mlen,  \
                                  const uint8_t *ad, size_t adlen,            \
                                  const uint8_t *npub, const uint8_t *k);     \
    int polyseal_##name##_decrypt(uint8_t *m, const uint8_t *c, size_t clen,  \
                                  const uint8_t *ad, size_t adlen,            \
                                  const uint8_t *npub, const uint8_t *k);

#define POLYSEAL_AEAD_(name)                                                  \
    POLYSEAL_WHOLE_(name)                                                     \
    int polyseal_##name##_encrypt_detached(                                   \
        uint8_t *c, uint8_t *mac, const uint8_t *m, size_t mlen,              \
        const uint8_t *ad, size_t adlen,                                      \
        const uint8_t *npub, const uint8_t *k);                               \
    int polyseal_##name##_decrypt_detached(                                   \
        uint8_t *m, const uint8_t *c, size_t clen, const uint8_t *mac,        \
        const uint8_t *ad, size_t adlen,                                      \
        const uint8_t *npub, const uint8_t *k);

/*
 * "aegis-128l": AEGIS-128L. RFC 10032 (draft-irtf-cfrg-aegis-aead-18). Random
 * nonces: 2^48 messages. A repeated nonce breaks it. Commits: keys, where ad
 * cannot be chosen; 2^64.
 */
#define polyseal_aegis128l_KEYBYTES 16U
#define polyseal_aegis128l_NPUBBYTES 16U
#define polyseal_aegis128l_ABYTES 16U
#define polyseal_aegis128l_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis128l)

/*
 * "aegis-128l:tag=32": AEGIS-128L, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18). Random nonces: 2^48 messages. A repeated
 * nonce breaks it. Commits: keys, where ad cannot be chosen; 2^128.
 */
#define polyseal_aegis128l_tag32_KEYBYTES 16U
#define polyseal_aegis128l_tag32_NPUBBYTES 16U
#define polyseal_aegis128l_tag32_ABYTES 32U
#define polyseal_aegis128l_tag32_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis128l_tag32)

/*
 * "aegis-128x2": AEGIS-128X2. RFC 10032 (draft-irtf-cfrg-aegis-aead-18).
 * Random nonces: 2^48 messages. A repeated nonce breaks it. Commits: keys,
 * where ad cannot be chosen; 2^64.
 */
#define polyseal_aegis128x2_KEYBYTES 16U
#define polyseal_aegis128x2_NPUBBYTES 16U
#define polyseal_aegis128x2_ABYTES 16U
#define polyseal_aegis128x2_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis128x2)

/*
 * "aegis-128x2:tag=32": AEGIS-128X2, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18). Random nonces: 2^48 messages. A repeated
 * nonce breaks it. Commits: keys, where ad cannot be chosen; 2^128.
 */
#define polyseal_aegis128x2_tag32_KEYBYTES 16U
#define polyseal_aegis128x2_tag32_NPUBBYTES 16U
#define polyseal_aegis128x2_tag32_ABYTES 32U
#define polyseal_aegis128x2_tag32_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis128x2_tag32)

/*
 * "aegis-128x4": AEGIS-128X4. RFC 10032 (draft-irtf-cfrg-aegis-aead-18).
 * Random nonces: 2^48 messages. A repeated nonce breaks it. Commits: keys,
 * where ad cannot be chosen; 2^64.
 */
#define polyseal_aegis128x4_KEYBYTES 16U
#define polyseal_aegis128x4_NPUBBYTES 16U
#define polyseal_aegis128x4_ABYTES 16U
#define polyseal_aegis128x4_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis128x4)

/*
 * "aegis-128x4:tag=32": AEGIS-128X4, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18). Random nonces: 2^48 messages. A repeated
 * nonce breaks it. Commits: keys, where ad cannot be chosen; 2^128.
 */
#define polyseal_aegis128x4_tag32_KEYBYTES 16U
#define polyseal_aegis128x4_tag32_NPUBBYTES 16U
#define polyseal_aegis128x4_tag32_ABYTES 32U
#define polyseal_aegis128x4_tag32_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis128x4_tag32)

/*
 * "aegis-256": AEGIS-256. RFC 10032 (draft-irtf-cfrg-aegis-aead-18). Random
 * nonces: any number. A repeated nonce breaks it. Commits: keys, where ad
 * cannot be chosen; 2^64.
 */
#define polyseal_aegis256_KEYBYTES 32U
#define polyseal_aegis256_NPUBBYTES 32U
#define polyseal_aegis256_ABYTES 16U
#define polyseal_aegis256_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis256)

/*
 * "aegis-256:tag=32": AEGIS-256, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18). Random nonces: any number. A repeated nonce
 * breaks it. Commits: keys, where ad cannot be chosen; 2^128.
 */
#define polyseal_aegis256_tag32_KEYBYTES 32U
#define polyseal_aegis256_tag32_NPUBBYTES 32U
#define polyseal_aegis256_tag32_ABYTES 32U
#define polyseal_aegis256_tag32_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis256_tag32)

/*
 * "aegis-256x2": AEGIS-256X2. RFC 10032 (draft-irtf-cfrg-aegis-aead-18).
 * Random nonces: any number. A repeated nonce breaks it. Commits: keys, where
 * ad cannot be chosen; 2^64.
 */
#define polyseal_aegis256x2_KEYBYTES 32U
#define polyseal_aegis256x2_NPUBBYTES 32U
#define polyseal_aegis256x2_ABYTES 16U
#define polyseal_aegis256x2_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis256x2)

/*
 * "aegis-256x2:tag=32": AEGIS-256X2, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18). Random nonces: any number. A repeated nonce
 * breaks it. Commits: keys, where ad cannot be chosen; 2^128.
 */
#define polyseal_aegis256x2_tag32_KEYBYTES 32U
#define polyseal_aegis256x2_tag32_NPUBBYTES 32U
#define polyseal_aegis256x2_tag32_ABYTES 32U
#define polyseal_aegis256x2_tag32_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis256x2_tag32)

/*
 * "aegis-256x4": AEGIS-256X4. RFC 10032 (draft-irtf-cfrg-aegis-aead-18).
 * Random nonces: any number. A repeated nonce breaks it. Commits: keys, where
 * ad cannot be chosen; 2^64.
 */
#define polyseal_aegis256x4_KEYBYTES 32U
#define polyseal_aegis256x4_NPUBBYTES 32U
#define polyseal_aegis256x4_ABYTES 16U
#define polyseal_aegis256x4_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis256x4)

/*
 * "aegis-256x4:tag=32": AEGIS-256X4, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18). Random nonces: any number. A repeated nonce
 * breaks it. Commits: keys, where ad cannot be chosen; 2^128.
 */
#define polyseal_aegis256x4_tag32_KEYBYTES 32U
#define polyseal_aegis256x4_tag32_NPUBBYTES 32U
#define polyseal_aegis256x4_tag32_ABYTES 32U
#define polyseal_aegis256x4_tag32_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(aegis256x4_tag32)

/*
 * "aes-128-gcm": AES-128-GCM. NIST SP 800-38D. Random nonces: 2^32 messages. A
 * repeated nonce breaks it.
 */
#define polyseal_aes128gcm_KEYBYTES 16U
#define polyseal_aes128gcm_NPUBBYTES 12U
#define polyseal_aes128gcm_ABYTES 16U
#define polyseal_aes128gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(aes128gcm)

/*
 * "aes-256-gcm": AES-256-GCM. NIST SP 800-38D. Random nonces: 2^32 messages. A
 * repeated nonce breaks it.
 */
#define polyseal_aes256gcm_KEYBYTES 32U
#define polyseal_aes256gcm_NPUBBYTES 12U
#define polyseal_aes256gcm_ABYTES 16U
#define polyseal_aes256gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(aes256gcm)

/*
 * "xaes-256-gcm": XAES-256-GCM. c2sp.org/XAES-256-GCM. Random nonces: 2^80
 * messages. A repeated nonce breaks it.
 */
#define polyseal_xaes256gcm_KEYBYTES 32U
#define polyseal_xaes256gcm_NPUBBYTES 24U
#define polyseal_xaes256gcm_ABYTES 16U
#define polyseal_xaes256gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(xaes256gcm)

/*
 * "kc-xaes-256-gcm": KC-XAES-256-GCM. P. Kampanakis, S. Halevi, N. Ebeid, M.
 * Campagna, Blockcipher-Based Key Commitment for Nonce-Derived Schemes (eprint
 * 2025/758). Random nonces: 2^80 messages. A repeated nonce breaks it.
 * Commits: keys and nonces; 2^112.
 */
#define polyseal_kc_xaes256gcm_KEYBYTES 32U
#define polyseal_kc_xaes256gcm_NPUBBYTES 24U
#define polyseal_kc_xaes256gcm_ABYTES 48U
#define polyseal_kc_xaes256gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(kc_xaes256gcm)

/*
 * "aes-256-gcm-siv": AES-256-GCM-SIV. RFC 8452. Random nonces: 2^32 messages.
 * A repeated nonce shows which messages are equal.
 */
#define polyseal_aes256gcmsiv_KEYBYTES 32U
#define polyseal_aes256gcmsiv_NPUBBYTES 12U
#define polyseal_aes256gcmsiv_ABYTES 16U
#define polyseal_aes256gcmsiv_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1000000000ULL)
POLYSEAL_AEAD_(aes256gcmsiv)

/*
 * "dndk-gcm": DNDK-GCM. draft-gueron-cfrg-dndkgcm. Random nonces: 2^80
 * messages. A repeated nonce breaks it.
 */
#define polyseal_dndkgcm_KEYBYTES 32U
#define polyseal_dndkgcm_NPUBBYTES 24U
#define polyseal_dndkgcm_ABYTES 16U
#define polyseal_dndkgcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(dndkgcm)

/*
 * "dndk-gcm:kc=1": DNDK-GCM, with key commitment. draft-gueron-cfrg-dndkgcm.
 * Random nonces: 2^44 messages. A repeated nonce breaks it. Commits: keys;
 * 2^64.
 */
#define polyseal_dndkgcm_kc_KEYBYTES 32U
#define polyseal_dndkgcm_kc_NPUBBYTES 24U
#define polyseal_dndkgcm_kc_ABYTES 48U
#define polyseal_dndkgcm_kc_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(dndkgcm_kc)

/*
 * "h-aes-256-gcm": HMAC-derived AES-256-GCM. P. Kampanakis, S. Halevi, N.
 * Ebeid, M. Campagna, Blockcipher-Based Key Commitment for Nonce-Derived
 * Schemes (eprint 2025/758). Random nonces: 2^80 messages. A repeated nonce
 * breaks it.
 */
#define polyseal_h_aes256gcm_KEYBYTES 32U
#define polyseal_h_aes256gcm_NPUBBYTES 24U
#define polyseal_h_aes256gcm_ABYTES 16U
#define polyseal_h_aes256gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(h_aes256gcm)

/*
 * "h-kc-aes-256-gcm": HMAC-derived AES-256-GCM with key commitment. P.
 * Kampanakis, S. Halevi, N. Ebeid, M. Campagna, Blockcipher-Based Key
 * Commitment for Nonce-Derived Schemes (eprint 2025/758). Random nonces: 2^80
 * messages. A repeated nonce breaks it. Commits: keys and nonces; 2^128.
 */
#define polyseal_h_kc_aes256gcm_KEYBYTES 32U
#define polyseal_h_kc_aes256gcm_NPUBBYTES 24U
#define polyseal_h_kc_aes256gcm_ABYTES 48U
#define polyseal_h_kc_aes256gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(h_kc_aes256gcm)

/*
 * "hkdf-committed-aes-256-gcm": HKDF-derived AES-256-GCM with key commitment.
 * AWS Encryption SDK specification. Random nonces: any number. A repeated
 * nonce breaks it. Commits: keys and nonces; 2^128.
 */
#define polyseal_hkdf_committed_aes256gcm_KEYBYTES 32U
#define polyseal_hkdf_committed_aes256gcm_NPUBBYTES 32U
#define polyseal_hkdf_committed_aes256gcm_ABYTES 48U
#define polyseal_hkdf_committed_aes256gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(hkdf_committed_aes256gcm)

/*
 * "padding-fix-aes-256-gcm": AES-256-GCM with the padding fix. A. Albertini et
 * al., How to Abuse and Fix Authenticated Encryption Without Key Commitment
 * (eprint 2020/1456). Random nonces: 2^32 messages. A repeated nonce breaks
 * it. Commits: keys; 2^128.
 */
#define polyseal_padding_fix_aes256gcm_KEYBYTES 32U
#define polyseal_padding_fix_aes256gcm_NPUBBYTES 12U
#define polyseal_padding_fix_aes256gcm_ABYTES 48U
#define polyseal_padding_fix_aes256gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffc0ULL)
POLYSEAL_AEAD_(padding_fix_aes256gcm)

/*
 * "ctx-aes-256-gcm": CTX over AES-256-GCM. J. Chan, P. Rogaway, On Committing
 * Authenticated Encryption (eprint 2022/1260). Random nonces: 2^32 messages. A
 * repeated nonce breaks it. Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_ctx_aes256gcm_KEYBYTES 32U
#define polyseal_ctx_aes256gcm_NPUBBYTES 12U
#define polyseal_ctx_aes256gcm_ABYTES 32U
#define polyseal_ctx_aes256gcm_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xfffffffe0ULL)
POLYSEAL_AEAD_(ctx_aes256gcm)

/*
 * "ctx-aegis-128l": CTX over AEGIS-128L. J. Chan, P. Rogaway, On Committing
 * Authenticated Encryption (eprint 2022/1260). Random nonces: 2^48 messages. A
 * repeated nonce breaks it. Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_ctx_aegis128l_KEYBYTES 16U
#define polyseal_ctx_aegis128l_NPUBBYTES 16U
#define polyseal_ctx_aegis128l_ABYTES 32U
#define polyseal_ctx_aegis128l_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(ctx_aegis128l)

/*
 * "ctx-aegis-128x2": CTX over AEGIS-128X2. J. Chan, P. Rogaway, On Committing
 * Authenticated Encryption (eprint 2022/1260). Random nonces: 2^48 messages. A
 * repeated nonce breaks it. Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_ctx_aegis128x2_KEYBYTES 16U
#define polyseal_ctx_aegis128x2_NPUBBYTES 16U
#define polyseal_ctx_aegis128x2_ABYTES 32U
#define polyseal_ctx_aegis128x2_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(ctx_aegis128x2)

/*
 * "ctx-aegis-128x4": CTX over AEGIS-128X4. J. Chan, P. Rogaway, On Committing
 * Authenticated Encryption (eprint 2022/1260). Random nonces: 2^48 messages. A
 * repeated nonce breaks it. Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_ctx_aegis128x4_KEYBYTES 16U
#define polyseal_ctx_aegis128x4_NPUBBYTES 16U
#define polyseal_ctx_aegis128x4_ABYTES 32U
#define polyseal_ctx_aegis128x4_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(ctx_aegis128x4)

/*
 * "ctx-aegis-256": CTX over AEGIS-256. J. Chan, P. Rogaway, On Committing
 * Authenticated Encryption (eprint 2022/1260). Random nonces: any number. A
 * repeated nonce breaks it. Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_ctx_aegis256_KEYBYTES 32U
#define polyseal_ctx_aegis256_NPUBBYTES 32U
#define polyseal_ctx_aegis256_ABYTES 32U
#define polyseal_ctx_aegis256_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(ctx_aegis256)

/*
 * "ctx-aegis-256x2": CTX over AEGIS-256X2. J. Chan, P. Rogaway, On Committing
 * Authenticated Encryption (eprint 2022/1260). Random nonces: any number. A
 * repeated nonce breaks it. Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_ctx_aegis256x2_KEYBYTES 32U
#define polyseal_ctx_aegis256x2_NPUBBYTES 32U
#define polyseal_ctx_aegis256x2_ABYTES 32U
#define polyseal_ctx_aegis256x2_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(ctx_aegis256x2)

/*
 * "ctx-aegis-256x4": CTX over AEGIS-256X4. J. Chan, P. Rogaway, On Committing
 * Authenticated Encryption (eprint 2022/1260). Random nonces: any number. A
 * repeated nonce breaks it. Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_ctx_aegis256x4_KEYBYTES 32U
#define polyseal_ctx_aegis256x4_NPUBBYTES 32U
#define polyseal_ctx_aegis256x4_ABYTES 32U
#define polyseal_ctx_aegis256x4_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(ctx_aegis256x4)

#ifndef POLYSEAL_NO_FLEX

/*
 * "flex-och": Flex OCH with a hidden nonce. Flex-1, docs/spec/flex.md. Random
 * nonces: 2^112 messages. A repeated nonce breaks it. The nonce is hidden.
 * Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_flex_och_KEYBYTES 32U
#define polyseal_flex_och_NPUBBYTES 32U
#define polyseal_flex_och_ABYTES 64U
#define polyseal_flex_och_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x4000000000000ULL)
POLYSEAL_AEAD_(flex_och)

/*
 * "flex-och-public": Flex OCH. Flex-1, docs/spec/flex.md. Random nonces: 2^80
 * messages. A repeated nonce breaks it. Commits: keys, nonces, ad and
 * messages; 2^128.
 */
#define polyseal_flex_och_public_KEYBYTES 32U
#define polyseal_flex_och_public_NPUBBYTES 24U
#define polyseal_flex_och_public_ABYTES 32U
#define polyseal_flex_och_public_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x4000000000000ULL)
POLYSEAL_AEAD_(flex_och_public)

/*
 * "flex-och-transport": Flex OCH for transport. Flex-1, docs/spec/flex.md.
 * Random nonces: 2^32 messages. A repeated nonce breaks it. Commits: keys,
 * nonces, ad and messages; 2^64.
 */
#define polyseal_flex_och_transport_KEYBYTES 32U
#define polyseal_flex_och_transport_NPUBBYTES 12U
#define polyseal_flex_och_transport_ABYTES 16U
#define polyseal_flex_och_transport_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x4000000000000ULL)
POLYSEAL_AEAD_(flex_och_transport)

/*
 * "flex-civ": Flex CIV with a hidden nonce. Flex-1, docs/spec/flex.md. Random
 * nonces: 2^112 messages. A repeated nonce shows which messages are equal. The
 * nonce is hidden. Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_flex_civ_KEYBYTES 32U
#define polyseal_flex_civ_NPUBBYTES 32U
#define polyseal_flex_civ_ABYTES 64U
#define polyseal_flex_civ_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x4000000000000ULL)
POLYSEAL_AEAD_(flex_civ)

/*
 * "flex-civ-public": Flex CIV. Flex-1, docs/spec/flex.md. Random nonces: 2^80
 * messages. A repeated nonce shows which messages are equal. Commits: keys,
 * nonces, ad and messages; 2^128.
 */
#define polyseal_flex_civ_public_KEYBYTES 32U
#define polyseal_flex_civ_public_NPUBBYTES 24U
#define polyseal_flex_civ_public_ABYTES 32U
#define polyseal_flex_civ_public_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x4000000000000ULL)
POLYSEAL_AEAD_(flex_civ_public)

/*
 * "flex-robust": Flex ROBUST. Flex-1, docs/spec/flex.md. Random nonces: 2^80
 * messages. A repeated nonce shows which messages are equal. Commits: keys,
 * nonces, ad and messages; 2^128.
 */
#define polyseal_flex_robust_KEYBYTES 32U
#define polyseal_flex_robust_NPUBBYTES 24U
#define polyseal_flex_robust_ABYTES 32U
#define polyseal_flex_robust_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x10000000000ULL)
POLYSEAL_AEAD_(flex_robust)

/*
 * "flex-robust-ae": Flex ROBUST-AE. Flex-1, docs/spec/flex.md. Random nonces:
 * 2^80 messages. A repeated nonce shows which messages are equal. Commits:
 * keys, nonces, ad and messages; 2^128.
 */
#define polyseal_flex_robust_ae_KEYBYTES 32U
#define polyseal_flex_robust_ae_NPUBBYTES 24U
#define polyseal_flex_robust_ae_ABYTES 32U
#define polyseal_flex_robust_ae_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x10000000000ULL)
POLYSEAL_AEAD_(flex_robust_ae)

/*
 * "flex": Flex, any configuration that commits. Flex-1, docs/spec/flex.md.
 * Random nonces: 2^112 messages. A repeated nonce breaks it. Commits: keys,
 * nonces, ad and messages; 2^128.
 */
#define polyseal_flex_KEYBYTES 32U
#define polyseal_flex_NPUBBYTES 32U
#define polyseal_flex_ABYTES 64U
#define polyseal_flex_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x4000000000000ULL)
POLYSEAL_AEAD_(flex)

#endif /* POLYSEAL_NO_FLEX */

#ifndef POLYSEAL_NO_OMD

/*
 * "omd-sha256": OMD-SHA-256. docs/spec/omd.md: OMD v2.0, secure empty inputs.
 * Random nonces: 2^108 messages. A repeated nonce breaks it.
 */
#define polyseal_omd_sha256_KEYBYTES 32U
#define polyseal_omd_sha256_NPUBBYTES 31U
#define polyseal_omd_sha256_ABYTES 32U
#define polyseal_omd_sha256_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(omd_sha256)

/*
 * "omd-sha512": OMD-SHA-512. docs/spec/omd.md: OMD v2.0, secure empty inputs.
 * Random nonces: 2^112 messages. A repeated nonce breaks it.
 */
#define polyseal_omd_sha512_KEYBYTES 64U
#define polyseal_omd_sha512_NPUBBYTES 32U
#define polyseal_omd_sha512_ABYTES 64U
#define polyseal_omd_sha512_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(omd_sha512)

/*
 * "omd-blake2b": OMD-BLAKE2b. docs/spec/omd.md: ours, after an idea of D.
 * Maimu? and A. Mega. Random nonces: 2^112 messages. A repeated nonce breaks
 * it.
 */
#define polyseal_omd_blake2b_KEYBYTES 64U
#define polyseal_omd_blake2b_NPUBBYTES 32U
#define polyseal_omd_blake2b_ABYTES 64U
#define polyseal_omd_blake2b_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0x1fffffffffffffffULL)
POLYSEAL_AEAD_(omd_blake2b)

#endif /* POLYSEAL_NO_OMD */

/*
 * These cut a message into segments of 64 KiB and seal each with a tag of
 * ABYTES, so that there is no detached form.
 *
 * polyseal_NAME_sealedbytes(mlen)
 *     How many bytes encrypt writes for a message of mlen bytes; 0 if there is
 *     no such message.
 */

#define POLYSEAL_SEGMENTED_(name)                                             \
    POLYSEAL_WHOLE_(name)                                                     \
    size_t polyseal_##name##_sealedbytes(size_t mlen);

#ifndef POLYSEAL_NO_FLEX

/*
 * "flex-och-stream": Flex OCH in segments of 64 KiB. Flex-1,
 * docs/spec/flex.md. Random nonces: 2^80 messages. A repeated nonce breaks it.
 * Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_flex_och_stream_KEYBYTES 32U
#define polyseal_flex_och_stream_NPUBBYTES 24U
#define polyseal_flex_och_stream_ABYTES 32U
#define polyseal_flex_och_stream_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xffffffffffffffffULL)
POLYSEAL_SEGMENTED_(flex_och_stream)

/*
 * "flex-civ-stream": Flex CIV in segments of 64 KiB. Flex-1,
 * docs/spec/flex.md. Random nonces: 2^80 messages. A repeated nonce breaks it.
 * Commits: keys, nonces, ad and messages; 2^128.
 */
#define polyseal_flex_civ_stream_KEYBYTES 32U
#define polyseal_flex_civ_stream_NPUBBYTES 24U
#define polyseal_flex_civ_stream_ABYTES 32U
#define polyseal_flex_civ_stream_MESSAGEBYTES_MAX \
    POLYSEAL_SIZE_(0xffffffffffffffffULL)
POLYSEAL_SEGMENTED_(flex_civ_stream)

#endif /* POLYSEAL_NO_FLEX */

/* ---------------------------------------------------------------------------
 * 5. Prepared keys
 *
 *     polyseal_aead *aead;
 *     if (polyseal_aead_new(&aead, "aegis-128x2", k, sizeof k) != 0) {
 *         fprintf(stderr, "%s\n", polyseal_last_error_text());
 *     }
 *
 * An algorithm by its name, and its key, expanded once. Here every length is
 * said and checked.
 * ------------------------------------------------------------------------ */

typedef struct polyseal_aead polyseal_aead;

/*
 * Prepares the key k, of klen bytes, for the algorithm of that name: a name of
 * the list above, with other sizes or parameters behind it if need be, as in
 * "omd-sha256:key=16,nonce=12,tag=16". Free it with polyseal_aead_free. Calls
 * with a const handle may come from several threads at once.
 *
 * Errors: POLYSEAL_ERR_ALGORITHM; POLYSEAL_ERR_LENGTH for a key of another
 * length; POLYSEAL_ERR_UNSUPPORTED for a MAC. Then *aead is NULL.
 */
int polyseal_aead_new(
    polyseal_aead **aead, const char *name, const uint8_t *k, size_t klen);

/*
 * The same with setup associated data, which says what the key is for. Only
 * Flex takes it: with other algorithms, more than 0 bytes of it are
 * POLYSEAL_ERR_UNSUPPORTED.
 */
int polyseal_aead_new_with_setup(
    polyseal_aead **aead, const char *name, const uint8_t *k, size_t klen,
    const uint8_t *setup, size_t setuplen);

/* Wipes the key and frees the handle. NULL is allowed. */
void polyseal_aead_free(polyseal_aead *aead);

/*
 * The length in bytes of the output of polyseal_aead_seal for a message of
 * mlen bytes, in *clen: mlen and a tag; with an algorithm that cuts into
 * segments, a tag for each.
 *
 * Errors: POLYSEAL_ERR_TOO_LONG above the algorithm's limit.
 */
int polyseal_aead_sealedbytes(
    const polyseal_aead *aead, size_t mlen, size_t *clen);

/*
 * The length in bytes of the message in the clen bytes that polyseal_aead_seal
 * wrote, in *mlen.
 *
 * Errors: POLYSEAL_ERR_LENGTH if no message has that length once it is sealed.
 */
int polyseal_aead_openedbytes(
    const polyseal_aead *aead, size_t clen, size_t *mlen);

/*
 * Seals m, of mlen bytes, into c, of clen bytes, which must be as many as
 * polyseal_aead_sealedbytes says. npub is the nonce: never twice under one
 * key.
 *
 * Errors: POLYSEAL_ERR_LENGTH for a nonce or an output of another length,
 * POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_NULL, POLYSEAL_ERR_OVERLAP. Then nothing
 * has been sealed.
 */
int polyseal_aead_seal(
    const polyseal_aead *aead, uint8_t *c, size_t clen,
    const uint8_t *m, size_t mlen, const uint8_t *ad, size_t adlen,
    const uint8_t *npub, size_t npublen);

/*
 * Opens c, of clen bytes, into m, of mlen bytes, which must be as many as
 * polyseal_aead_openedbytes says: clen without the tag. Where the algorithm
 * hides the nonce, npublen may be 0: it is in c.
 *
 * Errors: POLYSEAL_ERR_UNAUTHENTIC: then m is zeros. POLYSEAL_ERR_LENGTH,
 * POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_NULL and POLYSEAL_ERR_OVERLAP: then m
 * has not been written to.
 */
int polyseal_aead_open(
    const polyseal_aead *aead, uint8_t *m, size_t mlen,
    const uint8_t *c, size_t clen, const uint8_t *ad, size_t adlen,
    const uint8_t *npub, size_t npublen);

/*
 * Seals m into c, of as many bytes, and writes the tag, of maclen bytes, to
 * mac.
 *
 * Errors: as polyseal_aead_seal; POLYSEAL_ERR_UNSUPPORTED where messages are
 * cut into segments.
 */
int polyseal_aead_seal_detached(
    const polyseal_aead *aead, uint8_t *c, uint8_t *mac, size_t maclen,
    const uint8_t *m, size_t mlen, const uint8_t *ad, size_t adlen,
    const uint8_t *npub, size_t npublen);

/*
 * Opens c, of clen bytes, into m, of as many, if mac is its tag.
 *
 * Errors: as polyseal_aead_open; POLYSEAL_ERR_UNSUPPORTED where messages are
 * cut into segments.
 */
int polyseal_aead_open_detached(
    const polyseal_aead *aead, uint8_t *m, const uint8_t *c, size_t clen,
    const uint8_t *mac, size_t maclen, const uint8_t *ad, size_t adlen,
    const uint8_t *npub, size_t npublen);

/*
 * The length in bytes of the output of polyseal_aead_seal_random for a message
 * of mlen bytes, in *clen: a nonce more than polyseal_aead_sealedbytes, unless
 * the algorithm hides it.
 *
 * Errors: POLYSEAL_ERR_TOO_LONG above the algorithm's limit.
 */
int polyseal_aead_randombytes(
    const polyseal_aead *aead, size_t mlen, size_t *clen);

/*
 * Seals under a nonce drawn from the operating system, which is written to c
 * in front of the rest: there is no nonce to keep or to get wrong. clen is the
 * length from polyseal_aead_randombytes.
 *
 * Errors: as polyseal_aead_seal; POLYSEAL_ERR_UNSUPPORTED for an algorithm
 * with which a key could have fewer than 2^48 messages so, such as AES-GCM;
 * POLYSEAL_ERR_RANDOM.
 */
int polyseal_aead_seal_random(
    const polyseal_aead *aead, uint8_t *c, size_t clen,
    const uint8_t *m, size_t mlen, const uint8_t *ad, size_t adlen);

/*
 * Opens a message of polyseal_aead_seal_random. mlen is as many bytes as the
 * message has.
 *
 * Errors: as polyseal_aead_open.
 */
int polyseal_aead_open_random(
    const polyseal_aead *aead, uint8_t *m, size_t mlen,
    const uint8_t *c, size_t clen, const uint8_t *ad, size_t adlen);

/* The length of its nonces in bytes; 0 for NULL. */
size_t polyseal_aead_npubbytes(const polyseal_aead *aead);

/* The length of its tags in bytes; 0 for NULL. */
size_t polyseal_aead_abytes(const polyseal_aead *aead);

/* ---------------------------------------------------------------------------
 * 6. Many messages at once
 * ------------------------------------------------------------------------ */

/* One of many messages. */
typedef struct polyseal_message {
    /* The nonce, polyseal_aead_npubbytes of them. */
    const uint8_t *npub;
    /* The associated data. */
    const uint8_t *ad;
    /* How many bytes of it. */
    size_t adlen;
    /*
     * The message, which is sealed in place, or the ciphertext, which is
     * opened in place.
     */
    uint8_t *text;
    /* How many bytes of it. */
    size_t textlen;
    /*
     * The tag, polyseal_aead_abytes of it: written by sealing, read by
     * opening.
     */
    uint8_t *mac;
    /*
     * Set by the call: 0 once the message has been sealed, or opened and found
     * authentic; otherwise POLYSEAL_ERR_UNAUTHENTIC.
     */
    int outcome;
} polyseal_message;

/*
 * Seals count messages, each with its nonce: in less time than one after the
 * other, where the algorithm and the CPU can have several under way.
 *
 * Errors: as polyseal_aead_seal_detached, for any of them: then none has been
 * sealed. POLYSEAL_ERR_OVERLAP if anything that is written to overlaps
 * anything else.
 */
int polyseal_aead_seal_batch(
    const polyseal_aead *aead, polyseal_message *messages, size_t count);

/*
 * Opens count messages. One that is not authentic is wiped, and says nothing
 * about the others: those are opened all the same. Each message's outcome
 * tells which.
 *
 * Errors: POLYSEAL_ERR_UNAUTHENTIC if any is not authentic. As
 * polyseal_aead_open_detached, for any of them, and POLYSEAL_ERR_OVERLAP: then
 * none has been opened.
 */
int polyseal_aead_open_batch(
    const polyseal_aead *aead, polyseal_message *messages, size_t count);

/* ---------------------------------------------------------------------------
 * 7. Messages in pieces
 *
 * For AEGIS, AES-GCM and the algorithms built on it, as
 * polyseal_algorithm.pieces says. The result is that of one call. A message
 * that is opened in pieces comes out at the end only, once all of it has been
 * found authentic: for messages that are larger than memory, take files.
 * ------------------------------------------------------------------------ */

typedef struct polyseal_encryptor polyseal_encryptor;
typedef struct polyseal_decryptor polyseal_decryptor;

/*
 * Begins to seal a message that arrives in pieces, under a key of klen bytes
 * and a nonce of npublen bytes, which is never used twice under one key. Free
 * it with polyseal_encryptor_free.
 *
 * Errors: POLYSEAL_ERR_UNSUPPORTED for an algorithm that takes no pieces;
 * POLYSEAL_ERR_ALGORITHM, POLYSEAL_ERR_LENGTH. Then *encryptor is NULL.
 */
int polyseal_encryptor_new(
    polyseal_encryptor **encryptor, const char *name,
    const uint8_t *k, size_t klen, const uint8_t *npub, size_t npublen,
    const uint8_t *ad, size_t adlen);

/*
 * Seals the next piece, m of mlen bytes, into as many bytes of c, which may be
 * m itself.
 *
 * Errors: POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_OVERLAP, POLYSEAL_ERR_NULL: then
 * nothing of the piece has been taken. POLYSEAL_ERR_FINISHED after
 * polyseal_encryptor_final.
 */
int polyseal_encryptor_update(
    polyseal_encryptor *encryptor, uint8_t *c, const uint8_t *m, size_t mlen);

/*
 * Writes the tag, of maclen bytes, to mac, and ends the message.
 *
 * Errors: POLYSEAL_ERR_LENGTH for a tag of another length: then nothing has
 * been written, and the message has ended all the same. POLYSEAL_ERR_FINISHED
 * the second time.
 */
int polyseal_encryptor_final(
    polyseal_encryptor *encryptor, uint8_t *mac, size_t maclen);

/* Wipes the rest of the state and frees the handle. NULL is allowed. */
void polyseal_encryptor_free(polyseal_encryptor *encryptor);

/*
 * Begins to open a message of at most mlen_max bytes that arrives in pieces:
 * as much memory is set aside for it. Free it with polyseal_decryptor_free.
 *
 * Errors: POLYSEAL_ERR_UNSUPPORTED for an algorithm that takes no pieces;
 * POLYSEAL_ERR_ALGORITHM, POLYSEAL_ERR_LENGTH, POLYSEAL_ERR_MEMORY. Then
 * *decryptor is NULL.
 */
int polyseal_decryptor_new(
    polyseal_decryptor **decryptor, const char *name,
    const uint8_t *k, size_t klen, const uint8_t *npub, size_t npublen,
    const uint8_t *ad, size_t adlen, size_t mlen_max);

/*
 * Takes the next piece of the ciphertext, c of clen bytes. Nothing of the
 * message is given yet.
 *
 * Errors: POLYSEAL_ERR_LENGTH if the message becomes longer than mlen_max,
 * POLYSEAL_ERR_TOO_LONG: then nothing of the piece has been taken.
 * POLYSEAL_ERR_FINISHED after polyseal_decryptor_final.
 */
int polyseal_decryptor_update(
    polyseal_decryptor *decryptor, const uint8_t *c, size_t clen);

/*
 * Writes the message to m, of mlen bytes, which are as many as all pieces had,
 * if mac, of maclen bytes, is its tag. It ends the message in any case, and
 * wipes the library's copy of it.
 *
 * Errors: POLYSEAL_ERR_UNAUTHENTIC: then m is zeros. POLYSEAL_ERR_LENGTH for a
 * message or tag of another length; POLYSEAL_ERR_FINISHED the second time.
 * Then m has not been written to.
 */
int polyseal_decryptor_final(
    polyseal_decryptor *decryptor, uint8_t *m, size_t mlen,
    const uint8_t *mac, size_t maclen);

/* Wipes the rest of the state and frees the handle. NULL is allowed. */
void polyseal_decryptor_free(polyseal_decryptor *decryptor);

/* ---------------------------------------------------------------------------
 * 8. MACs
 *
 * AEGISMAC authenticates a message and encrypts nothing. It is the only
 * algorithm here that may take a nonce again.
 *
 * polyseal_NAME(mac, m, mlen, npub, k)
 *     Writes the tag of m, ABYTES of it, to mac.
 *
 * polyseal_NAME_verify(mac, m, mlen, npub, k)
 *     Gives 0 if mac is the tag of m, otherwise -1.
 *
 * Errors: POLYSEAL_ERR_UNAUTHENTIC, POLYSEAL_ERR_NULL, POLYSEAL_ERR_OVERLAP,
 * POLYSEAL_ERR_TOO_LONG.
 * ------------------------------------------------------------------------ */

#define POLYSEAL_MAC_(name)                                                   \
    POLYSEAL_SIZES_(name)                                                     \
    int polyseal_##name(uint8_t *mac, const uint8_t *m, size_t mlen,          \
                        const uint8_t *npub, const uint8_t *k);               \
    int polyseal_##name##_verify(const uint8_t *mac, const uint8_t *m,        \
                                 size_t mlen, const uint8_t *npub,            \
                                 const uint8_t *k);

/*
 * "aegis-128l-mac": AEGISMAC-128L. RFC 10032 (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis128l_mac_KEYBYTES 16U
#define polyseal_aegis128l_mac_NPUBBYTES 16U
#define polyseal_aegis128l_mac_ABYTES 16U
POLYSEAL_MAC_(aegis128l_mac)

/*
 * "aegis-128l-mac:tag=32": AEGISMAC-128L, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis128l_mac_tag32_KEYBYTES 16U
#define polyseal_aegis128l_mac_tag32_NPUBBYTES 16U
#define polyseal_aegis128l_mac_tag32_ABYTES 32U
POLYSEAL_MAC_(aegis128l_mac_tag32)

/*
 * "aegis-128x2-mac": AEGISMAC-128X2. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis128x2_mac_KEYBYTES 16U
#define polyseal_aegis128x2_mac_NPUBBYTES 16U
#define polyseal_aegis128x2_mac_ABYTES 16U
POLYSEAL_MAC_(aegis128x2_mac)

/*
 * "aegis-128x2-mac:tag=32": AEGISMAC-128X2, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis128x2_mac_tag32_KEYBYTES 16U
#define polyseal_aegis128x2_mac_tag32_NPUBBYTES 16U
#define polyseal_aegis128x2_mac_tag32_ABYTES 32U
POLYSEAL_MAC_(aegis128x2_mac_tag32)

/*
 * "aegis-128x4-mac": AEGISMAC-128X4. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis128x4_mac_KEYBYTES 16U
#define polyseal_aegis128x4_mac_NPUBBYTES 16U
#define polyseal_aegis128x4_mac_ABYTES 16U
POLYSEAL_MAC_(aegis128x4_mac)

/*
 * "aegis-128x4-mac:tag=32": AEGISMAC-128X4, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis128x4_mac_tag32_KEYBYTES 16U
#define polyseal_aegis128x4_mac_tag32_NPUBBYTES 16U
#define polyseal_aegis128x4_mac_tag32_ABYTES 32U
POLYSEAL_MAC_(aegis128x4_mac_tag32)

/* "aegis-256-mac": AEGISMAC-256. RFC 10032 (draft-irtf-cfrg-aegis-aead-18). */
#define polyseal_aegis256_mac_KEYBYTES 32U
#define polyseal_aegis256_mac_NPUBBYTES 32U
#define polyseal_aegis256_mac_ABYTES 16U
POLYSEAL_MAC_(aegis256_mac)

/*
 * "aegis-256-mac:tag=32": AEGISMAC-256, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis256_mac_tag32_KEYBYTES 32U
#define polyseal_aegis256_mac_tag32_NPUBBYTES 32U
#define polyseal_aegis256_mac_tag32_ABYTES 32U
POLYSEAL_MAC_(aegis256_mac_tag32)

/*
 * "aegis-256x2-mac": AEGISMAC-256X2. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis256x2_mac_KEYBYTES 32U
#define polyseal_aegis256x2_mac_NPUBBYTES 32U
#define polyseal_aegis256x2_mac_ABYTES 16U
POLYSEAL_MAC_(aegis256x2_mac)

/*
 * "aegis-256x2-mac:tag=32": AEGISMAC-256X2, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis256x2_mac_tag32_KEYBYTES 32U
#define polyseal_aegis256x2_mac_tag32_NPUBBYTES 32U
#define polyseal_aegis256x2_mac_tag32_ABYTES 32U
POLYSEAL_MAC_(aegis256x2_mac_tag32)

/*
 * "aegis-256x4-mac": AEGISMAC-256X4. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis256x4_mac_KEYBYTES 32U
#define polyseal_aegis256x4_mac_NPUBBYTES 32U
#define polyseal_aegis256x4_mac_ABYTES 16U
POLYSEAL_MAC_(aegis256x4_mac)

/*
 * "aegis-256x4-mac:tag=32": AEGISMAC-256X4, with a tag of 32 bytes. RFC 10032
 * (draft-irtf-cfrg-aegis-aead-18).
 */
#define polyseal_aegis256x4_mac_tag32_KEYBYTES 32U
#define polyseal_aegis256x4_mac_tag32_NPUBBYTES 32U
#define polyseal_aegis256x4_mac_tag32_ABYTES 32U
POLYSEAL_MAC_(aegis256x4_mac_tag32)

typedef struct polyseal_mac polyseal_mac;
typedef struct polyseal_macstate polyseal_macstate;

/*
 * Prepares the key k, of klen bytes, for the MAC of that name, such as
 * "aegis-128x2-mac:tag=32". Free it with polyseal_mac_free. Calls with a const
 * handle may come from several threads at once.
 *
 * Errors: POLYSEAL_ERR_ALGORITHM, POLYSEAL_ERR_LENGTH;
 * POLYSEAL_ERR_UNSUPPORTED for an AEAD. Then *mac is NULL.
 */
int polyseal_mac_new(
    polyseal_mac **mac, const char *name, const uint8_t *k, size_t klen);

/*
 * Writes the tag of m, of mlen bytes, to tag, of taglen bytes. A nonce may be
 * used again.
 *
 * Errors: POLYSEAL_ERR_LENGTH, POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_NULL,
 * POLYSEAL_ERR_OVERLAP.
 */
int polyseal_mac_compute(
    const polyseal_mac *mac, uint8_t *tag, size_t taglen,
    const uint8_t *m, size_t mlen, const uint8_t *npub, size_t npublen);

/*
 * Gives 0 if tag, of taglen bytes, is that of m, which it compares in constant
 * time.
 *
 * Errors: POLYSEAL_ERR_UNAUTHENTIC if it is not; otherwise as
 * polyseal_mac_compute.
 */
int polyseal_mac_verify(
    const polyseal_mac *mac, const uint8_t *tag, size_t taglen,
    const uint8_t *m, size_t mlen, const uint8_t *npub, size_t npublen);

/* Wipes the key and frees the handle. NULL is allowed. */
void polyseal_mac_free(polyseal_mac *mac);

/*
 * Begins the MAC of a message that arrives in pieces. Free it with
 * polyseal_macstate_free.
 *
 * Errors: as polyseal_mac_new, and POLYSEAL_ERR_LENGTH for a nonce of another
 * length. Then *state is NULL.
 */
int polyseal_macstate_new(
    polyseal_macstate **state, const char *name,
    const uint8_t *k, size_t klen, const uint8_t *npub, size_t npublen);

/*
 * Takes the next piece, m of mlen bytes.
 *
 * Errors: POLYSEAL_ERR_TOO_LONG; POLYSEAL_ERR_FINISHED after the end.
 */
int polyseal_macstate_update(
    polyseal_macstate *state, const uint8_t *m, size_t mlen);

/*
 * Writes the tag of all pieces to tag, of taglen bytes, and ends the message.
 *
 * Errors: POLYSEAL_ERR_LENGTH: then the message has ended all the same.
 * POLYSEAL_ERR_FINISHED.
 */
int polyseal_macstate_final(
    polyseal_macstate *state, uint8_t *tag, size_t taglen);

/*
 * Gives 0 if tag, of taglen bytes, is that of all pieces, and ends the
 * message.
 *
 * Errors: POLYSEAL_ERR_UNAUTHENTIC if it is not; otherwise as
 * polyseal_macstate_final.
 */
int polyseal_macstate_verify(
    polyseal_macstate *state, const uint8_t *tag, size_t taglen);

/* Wipes the rest of the state and frees the handle. NULL is allowed. */
void polyseal_macstate_free(polyseal_macstate *state);

#ifndef POLYSEAL_NO_FILES

/* ---------------------------------------------------------------------------
 * 9. Files: keys and options
 *
 *     polyseal_options options = POLYSEAL_OPTIONS_INIT;
 *     options.key = key;
 *
 * Sections 9 to 13 are Polyseal's file format, version 1, which the tool
 * `polyseal` writes and reads too. Names of files are bytes, as the system has
 * them. Where files are read by their names, the system is a Unix.
 * ------------------------------------------------------------------------ */

/* The length of a file's key in bytes. */
#define POLYSEAL_FILE_KEYBYTES 32U

/*
 * The recipients of a file, and how it is made or read. Begin with
 * POLYSEAL_OPTIONS_INIT, and set what you need: fields that are NULL or 0 are
 * not used.
 */
typedef struct polyseal_options {
    /* sizeof(polyseal_options), which POLYSEAL_OPTIONS_INIT sets. */
    size_t size;
    /* A key of POLYSEAL_FILE_KEYBYTES bytes. */
    const uint8_t *key;
    /*
     * The name of a key file, as `polyseal keygen` makes it, which is a
     * regular file: a key beside, or instead of, the one above. If the library
     * was built with kms, it may be a wrapped key file: then the first call of
     * a process asks the keeper of the key, which is found by the environment,
     * and waits for the answer. The key stays in memory until the process
     * ends.
     */
    const char *key_file;
    /*
     * To encrypt: recipients of age, one on a line, such as "age1...". To
     * decrypt it is not used.
     */
    const char *age_recipients;
    /*
     * To decrypt: the contents of an identity file of age, such as
     * "AGE-SECRET-KEY-1...", or of a private SSH key. It must not be encrypted
     * itself. If the library was built with kms, it may be that of a key pair
     * in a token, which is asked for each file. To encrypt it is not used.
     */
    const char *age_identities;
    /*
     * A passphrase, which is for itself: a file that has one has no other key.
     */
    const uint8_t *passphrase;
    /* How many bytes it has, from 1 to 4096. */
    size_t passphrase_bytes;
    /*
     * Bytes that the file is bound to, such as a name: decrypting needs the
     * same.
     */
    const uint8_t *context;
    /* How many bytes it has, up to 65535. */
    size_t context_bytes;
    /*
     * To encrypt: the algorithm, such as "aegis-128x2"; NULL for the default,
     * "aegis-256x2".
     */
    const char *suite;
    /*
     * To encrypt: how many bytes of the file are sealed together, a power of
     * two from 4096 to 16777216; 0 for the default, 65536.
     */
    size_t segment_bytes;
    /* The most threads, the calling one included; 0 for one on each core. */
    size_t threads;
    /* 1 to replace an output that exists; 0 to refuse it. */
    int overwrite;
    /*
     * To encrypt: 1 for ASCII armour, a file that is text and a third longer;
     * 0 for none. A file in armour is decrypted whole, and not in parts.
     */
    int armor;
} polyseal_options;

#define POLYSEAL_OPTIONS_INIT                                                 \
    { sizeof(polyseal_options), NULL, NULL, NULL, NULL, NULL, 0, NULL, 0,     \
    NULL, 0, 0, 0, 0 }

/* ---------------------------------------------------------------------------
 * 10. Files: whole ones
 * ------------------------------------------------------------------------ */

/*
 * Encrypts the file called input into one called output, on all cores. The
 * output appears when it is whole, with mode 0600, or that of the file of
 * yours that it replaces; on an error there is none, and one that was to be
 * replaced is as it was. There is one exception: POLYSEAL_ERR_GREW says that
 * the input grew meanwhile, as a log does, and that the output has the input
 * as it was at first.
 *
 * Errors: POLYSEAL_ERR_RECIPIENTS if the options name nobody, or those who do
 * not go together; POLYSEAL_ERR_EXISTS, POLYSEAL_ERR_IO, POLYSEAL_ERR_CHANGED,
 * POLYSEAL_ERR_GREW, POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_SUITE,
 * POLYSEAL_ERR_CONTEXT, POLYSEAL_ERR_KEY_FILE, POLYSEAL_ERR_KEEPER,
 * POLYSEAL_ERR_RANDOM; and POLYSEAL_ERR_MEMORY if the passphrase takes more
 * than there is.
 */
int polyseal_encrypt_file(
    const char *input, const char *output, const polyseal_options *options);

/*
 * Decrypts the file called input, one of polyseal_encrypt_file, of the tool or
 * of age, in armour or not, into one called output. The output appears when
 * all of it has been verified, with mode 0600, or that of the file of yours
 * that it replaces; on an error there is none, and one that was to be replaced
 * is as it was.
 *
 * Errors: all that concern files.
 */
int polyseal_decrypt_file(
    const char *input, const char *output, const polyseal_options *options);

/*
 * Opens all of the file called input, and keeps nothing of it.
 *
 * Errors: all that concern files.
 */
int polyseal_verify_file(const char *input, const polyseal_options *options);

/* ---------------------------------------------------------------------------
 * 11. Files: parts of one
 *
 * Only the bytes that are asked for are read and verified: a file of any size
 * can be read from any offset, by several threads at once.
 * ------------------------------------------------------------------------ */

/* Something that can be read at any offset. */
typedef struct polyseal_source {
    /* The first argument of read_at; NULL is allowed. */
    void *ctx;
    /*
     * Reads at most len bytes from offset on into buf. It gives how many those
     * were, 0 only at the end, or -1 if it failed. It must be safe to call
     * from each thread that calls polyseal_file_read_at, at the same time, and
     * must neither throw nor jump out.
     */
    int64_t (*read_at)(void *ctx, uint8_t *buf, size_t len, uint64_t offset);
    /* How many bytes there are. */
    uint64_t size;
} polyseal_source;

typedef struct polyseal_file polyseal_file;

/*
 * Opens the encrypted file of that name to read parts of it. Its header is
 * checked, and its last segment, so that its length is certain; the rest when
 * it is read. It may also be a file of age. Close it with polyseal_file_close.
 *
 * Errors: all that concern files. Then *file is NULL.
 */
int polyseal_file_open(
    polyseal_file **file, const char *path, const polyseal_options *options);

/*
 * The same for whatever has a read_at: an object in a store, a part of another
 * file, memory. The structure is copied; the target of ctx must outlive the
 * handle.
 *
 * Errors: all that concern files; POLYSEAL_ERR_IO if read_at failed. Then
 * *file is NULL.
 */
int polyseal_file_open_source(
    polyseal_file **file, const polyseal_source *source,
    const polyseal_options *options);

/* The length of the plaintext in bytes; 0 for NULL. */
uint64_t polyseal_file_size(const polyseal_file *file);

/*
 * Reads at most len bytes of the plaintext, from offset on, into buf. It gives
 * how many those were, fewer than len only at the end. Threads may call it at
 * the same time.
 *
 * Errors: -1; POLYSEAL_ERR_CORRUPT if a segment of the range is not as it was
 * written, POLYSEAL_ERR_CHANGED, POLYSEAL_ERR_IO. Then buf holds nothing of
 * the plaintext.
 */
int64_t polyseal_file_read_at(
    const polyseal_file *file, uint8_t *buf, size_t len, uint64_t offset);

/* Wipes the rest of the state and closes the file. NULL is allowed. */
void polyseal_file_close(polyseal_file *file);

/* ---------------------------------------------------------------------------
 * 12. Files: what one says without a key
 * ------------------------------------------------------------------------ */

/* The formats of files. */
#define POLYSEAL_FORMAT_POLYSEAL 1
#define POLYSEAL_FORMAT_AGE 2

/* The longest header of a Polyseal file in bytes. */
#define POLYSEAL_FILE_HEADERBYTES_MAX 65536U

/*
 * The claims of a file's header, for readers without a key. None of them has
 * been checked: anyone who stores a file can make it claim something else.
 */
typedef struct polyseal_inspection {
    /* POLYSEAL_FORMAT_POLYSEAL or POLYSEAL_FORMAT_AGE. */
    int format;
    /* The version of that format, 1. */
    int version;
    /*
     * 1 if the file is in ASCII armour; the lengths below are then those of
     * the file inside.
     */
    int armored;
    /* 1 if the file is bound to a context, which who decrypts must give. */
    int context;
    /*
     * The algorithm's name, such as "aegis-256x2"; "" for a file of age, whose
     * algorithm is always ChaCha20-Poly1305.
     */
    char suite[65];
    /* How many bytes of plaintext are sealed together. */
    size_t segment_bytes;
    /* The length of the tag of each such segment. */
    size_t abytes;
    /* The length of the header, behind which the payload begins. */
    size_t header_bytes;
    /* How many bytes of the header are free for more recipients. */
    size_t spare_bytes;
    /* How many keys, as in key files, the file is for. */
    size_t keys;
    /* How many passphrases: 0 or 1. */
    size_t passphrases;
    /* How many recipients of age. */
    size_t age_recipients;
    /* How many others, of kinds that this library does not know. */
    size_t others;
    /*
     * The kinds of the recipients of age, each once, with spaces between:
     * "X25519 ssh-ed25519". Kinds without room are left out.
     */
    char age_kinds[256];
    /* The length of the payload; 0 if the length of the file is not known. */
    uint64_t payload_bytes;
    /* The length of the plaintext; 0 if complete is. */
    uint64_t plaintext_bytes;
    /*
     * 1 if a whole file may have this length; 0 if none has, as after an
     * interrupted copy, or if the length is not known.
     */
    int complete;
} polyseal_inspection;

/*
 * Writes to *inspection the claims of the header of the file called path: one
 * of Polyseal or of age, which may be in armour, which is then read to its
 * end. No key is needed, and nothing is checked.
 *
 * Errors: POLYSEAL_ERR_IO, POLYSEAL_ERR_NOT_ENCRYPTED, POLYSEAL_ERR_VERSION,
 * POLYSEAL_ERR_HEADER, POLYSEAL_ERR_TRUNCATED, POLYSEAL_ERR_ARMOR.
 */
int polyseal_inspect_file(polyseal_inspection *inspection, const char *path);

/*
 * The same for the beginning of a file, of len bytes:
 * POLYSEAL_FILE_HEADERBYTES_MAX of it are enough, or all of it if it is
 * shorter. file_bytes is the length of the file; 0 if it is not known. The
 * length of a file in armour is known only if all of it is there.
 *
 * Errors: as polyseal_inspect_file.
 */
int polyseal_inspect(
    polyseal_inspection *inspection, const uint8_t *beginning, size_t len,
    uint64_t file_bytes);

/* ---------------------------------------------------------------------------
 * 13. Files: other recipients
 *
 *     polyseal_options mine = POLYSEAL_OPTIONS_INIT;
 *     polyseal_options theirs = POLYSEAL_OPTIONS_INIT;
 *     mine.key = key;
 *     mine.overwrite = 1;
 *     theirs.age_recipients = "age1...";
 *     polyseal_rekey_file("a", "a", &mine, &theirs, POLYSEAL_REKEY_KEEP);
 * ------------------------------------------------------------------------ */

/* Those whom the file is for already can still open it. */
#define POLYSEAL_REKEY_KEEP 1

/* The file is encrypted anew, so that nobody else can open it. */
#define POLYSEAL_REKEY_NEW_KEY 2

/*
 * Gives the file called input other recipients: those that to names. options
 * have the keys that open it, and say whether an output that exists is
 * replaced. The result, called output, may be input itself: then a new file
 * takes its place, and no other rekey, the tool's included, comes between.
 * Only the recipients of to are used; suite, segments and context stay.
 *
 * flags is 0, so that to names everyone who can open the result; or
 * POLYSEAL_REKEY_KEEP, which keeps those whom the file is for already; or
 * POLYSEAL_REKEY_NEW_KEY. Without the last, only the header changes: anyone
 * who could open the file may have kept its key, and can open the result. With
 * it, all of the file is decrypted and encrypted anew, which locks them out of
 * the result.
 *
 * A header is not rewritten in the file itself: the tool does that. A file in
 * armour is not rekeyed: decrypt it and encrypt it anew. One of age is, for
 * recipients of age.
 *
 * Errors: all that concern files; POLYSEAL_ERR_RECIPIENTS if to names nobody,
 * or more than fit; POLYSEAL_ERR_OPTIONS for other flags;
 * POLYSEAL_ERR_UNSUPPORTED for armour and age; POLYSEAL_ERR_CHANGED if input,
 * as output, is being rekeyed by another; POLYSEAL_ERR_EXISTS, too, if the
 * tool was interrupted while it rewrote output's header. Then output is as it
 * was.
 */
int polyseal_rekey_file(
    const char *input, const char *output, const polyseal_options *options,
    const polyseal_options *to, int flags);

/*
 * The same for a header in memory, such as that of an object in a store:
 * writes to rekeyed the header, of as many bytes, for other recipients. header
 * has header_bytes bytes, as polyseal_inspection says them, and rekeyed may be
 * header itself. flags is 0 or POLYSEAL_REKEY_KEEP. When you put it before the
 * payload, keep others from doing so meanwhile.
 *
 * Errors: all that concern headers; POLYSEAL_ERR_LENGTH if the header has
 * another length, POLYSEAL_ERR_RECIPIENTS, POLYSEAL_ERR_OPTIONS. Then rekeyed
 * has not been written to.
 */
int polyseal_rekey_header(
    uint8_t *rekeyed, const uint8_t *header, size_t header_bytes,
    const polyseal_options *options, const polyseal_options *to, int flags);

#endif /* POLYSEAL_NO_FILES */

#ifndef POLYSEAL_NO_FLEX

/* ---------------------------------------------------------------------------
 * 14. Ciphers that are no AEADs, for experts
 *
 * A wide-block cipher, by its name, which says what it does not give:
 *
 * "wide-block-robust-no-commitment"
 *     16 bytes longer than the message, the stretch. It does not commit:
 *     anyone who knows two keys can make a ciphertext that opens under both.
 *
 * "wide-block-length-preserving-no-authenticity"
 *     As long as the message. Every ciphertext opens, to something, and it
 *     does not commit.
 *
 * "wide-block-no-commitment:cfg=", "wide-block-no-authenticity:cfg=" and 16
 * hexadecimal digits
 *     Any other configuration of Flex's ROBUST without its tag, with and
 *     without a stretch; ",allow-64-bit=1" behind it allows profiles of the
 *     64-bit level.
 * ------------------------------------------------------------------------ */

typedef struct polyseal_hazmat_wide_block polyseal_hazmat_wide_block;

/*
 * The cipher of that name under the key k, of 16 to 1024 bytes, with setup
 * associated data, which says what the key is for. Free it with
 * polyseal_hazmat_wide_block_free.
 *
 * Errors: POLYSEAL_ERR_ALGORITHM; POLYSEAL_ERR_LENGTH for a key of another
 * length. Then *cipher is NULL.
 */
int polyseal_hazmat_wide_block_new(
    polyseal_hazmat_wide_block **cipher, const char *name,
    const uint8_t *k, size_t klen, const uint8_t *setup, size_t setuplen);

/* Wipes the key and frees the handle. NULL is allowed. */
void polyseal_hazmat_wide_block_free(polyseal_hazmat_wide_block *cipher);

/*
 * How many bytes longer than its message a ciphertext is: the stretch, and the
 * nonce if it is hidden; 0 for NULL.
 */
size_t polyseal_hazmat_wide_block_overheadbytes(
    const polyseal_hazmat_wide_block *cipher);

/*
 * Enciphers m, of mlen bytes, into c, of clen bytes, which must be mlen and
 * the overhead. The nonce npub and ad are the tweak: under one tweak, equal
 * messages are seen to be equal.
 *
 * Errors: POLYSEAL_ERR_LENGTH for a nonce or an output of another length,
 * POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_NULL, POLYSEAL_ERR_OVERLAP. Then nothing
 * has been written.
 */
int polyseal_hazmat_wide_block_encipher(
    const polyseal_hazmat_wide_block *cipher, uint8_t *c, size_t clen,
    const uint8_t *m, size_t mlen, const uint8_t *ad, size_t adlen,
    const uint8_t *npub, size_t npublen);

/*
 * Deciphers c, of clen bytes, into m, of mlen bytes, which must be clen
 * without the stretch. Where the nonce is hidden, npublen is 0.
 *
 * Without a stretch it succeeds with every c, key and tweak: it authenticates
 * nothing.
 *
 * Errors: POLYSEAL_ERR_UNAUTHENTIC if the stretch is not zeros: then m is
 * zeros. POLYSEAL_ERR_LENGTH, POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_NULL and
 * POLYSEAL_ERR_OVERLAP: then m has not been written to.
 */
int polyseal_hazmat_wide_block_decipher(
    const polyseal_hazmat_wide_block *cipher, uint8_t *m, size_t mlen,
    const uint8_t *c, size_t clen, const uint8_t *ad, size_t adlen,
    const uint8_t *npub, size_t npublen);

#endif /* POLYSEAL_NO_FLEX */

#ifdef __cplusplus
}
#endif

#endif /* POLYSEAL_H */
