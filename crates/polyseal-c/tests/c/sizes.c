/* Whether what the header says is what the library has: the functions, and the lengths. */

#include <polyseal.h>
#include <stdio.h>
#include <string.h>

static int wrong = 0;

static void check(const char *name, size_t given, size_t expected, const char *what) {
    if (given != expected) {
        fprintf(stderr, "%s: %s is %lu, not %lu\n", name, what, (unsigned long)given,
                (unsigned long)expected);
        wrong = 1;
    }
}

static void sizes(const char *name, size_t key, size_t npub, size_t tag, int mac, int segments) {
    polyseal_algorithm algorithm;
    if (polyseal_algorithm_get(&algorithm, name) != 0) {
        fprintf(stderr, "%s: %s\n", name, polyseal_last_error_text());
        wrong = 1;
        return;
    }
    check(name, key, algorithm.keybytes, "keybytes");
    check(name, npub, algorithm.npubbytes, "npubbytes");
    check(name, tag, algorithm.abytes, "abytes");
    check(name, (size_t)mac, (size_t)algorithm.mac, "mac");
    check(name, (size_t)segments, (size_t)algorithm.segments, "segments");
}

#define COMMON(c, name, mac, segments)                                                         \
    do {                                                                                       \
        uint8_t key[polyseal_##c##_KEYBYTES];                                                  \
        uint8_t zeros[polyseal_##c##_KEYBYTES];                                                \
        memset(key, 0, sizeof key);                                                            \
        memset(zeros, 0, sizeof zeros);                                                        \
        check(name, polyseal_##c##_keybytes(), polyseal_##c##_KEYBYTES, "KEYBYTES");           \
        check(name, polyseal_##c##_npubbytes(), polyseal_##c##_NPUBBYTES, "NPUBBYTES");        \
        check(name, polyseal_##c##_abytes(), polyseal_##c##_ABYTES, "ABYTES");                 \
        check(name, (size_t)polyseal_##c##_keygen(key), 0, "keygen");                          \
        check(name, memcmp(key, zeros, sizeof key) == 0, 0, "a key of zeros");                 \
        sizes(name, sizeof key, polyseal_##c##_NPUBBYTES, polyseal_##c##_ABYTES, mac, segments); \
    } while (0)

/* The longest message, as the macro, the function and the algorithm have it. */
#define LONGEST(c, name)                                                                       \
    do {                                                                                       \
        polyseal_algorithm algorithm;                                                          \
        check(name, polyseal_##c##_messagebytes_max(), polyseal_##c##_MESSAGEBYTES_MAX,        \
              "MESSAGEBYTES_MAX");                                                             \
        check(name, (size_t)polyseal_algorithm_get(&algorithm, name), 0, "algorithm");         \
        check(name, polyseal_##c##_MESSAGEBYTES_MAX, POLYSEAL_SIZE_(algorithm.messagebytes_max), \
              "messagebytes_max");                                                             \
    } while (0)

#define THERE(function) (function == NULL)

int main(void) {
    int missing = 0;
#define AEAD(c, name)                                                                          \
    COMMON(c, name, 0, 0);                                                                     \
    LONGEST(c, name);                                                                          \
    missing += THERE(polyseal_##c##_encrypt) + THERE(polyseal_##c##_decrypt) +                 \
               THERE(polyseal_##c##_encrypt_detached) + THERE(polyseal_##c##_decrypt_detached);
#define SEGMENTED(c, name)                                                                     \
    COMMON(c, name, 0, 1);                                                                     \
    LONGEST(c, name);                                                                          \
    check(name, polyseal_##c##_sealedbytes(65537), 65537 + 2 * polyseal_##c##_ABYTES, "sealed"); \
    missing += THERE(polyseal_##c##_encrypt) + THERE(polyseal_##c##_decrypt);
#define MAC(c, name)                                                                           \
    COMMON(c, name, 1, 0);                                                                     \
    missing += THERE(polyseal_##c) + THERE(polyseal_##c##_verify);
#include "list.inc"
    /* As the specifications say: NIST SP 800-38D, section 5.2.1.1, RFC 8452, and RFC 10032. */
    check("aes-256-gcm", polyseal_aes256gcm_MESSAGEBYTES_MAX,
          POLYSEAL_SIZE_((1ULL << 36) - 32), "the specification's limit");
    check("aes-256-gcm-siv", polyseal_aes256gcmsiv_MESSAGEBYTES_MAX, POLYSEAL_SIZE_(1ULL << 36),
          "the specification's limit");
    check("aegis-128x2", polyseal_aegis128x2_MESSAGEBYTES_MAX, POLYSEAL_SIZE_((1ULL << 61) - 1),
          "the specification's limit");
    if (strcmp(polyseal_version(), POLYSEAL_VERSION_STRING) != 0 || polyseal_selftest() != 0) {
        fprintf(stderr, "another version, or a wrong answer\n");
        wrong = 1;
    }
    return wrong || missing != 0;
}
