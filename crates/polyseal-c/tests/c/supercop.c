/*
 * One implementation of contrib/supercop, as SUPERCOP tries it: its checksum, what may be written
 * to, what is altered; and known answers.
 *
 * The checksum is that of SUPERCOP's crypto_aead/try.c with try-anything.c: the inputs are Salsa20
 * under a fixed key and a counter, and so is what stands beside each buffer; Salsa20's core then
 * goes over every output. `crypto_aead/aes256gcmv1` has a checksum that others published.
 *
 * Usage: supercop small|big for the checksum, or supercop FILE for the answers in FILE.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encrypt.c"

#define EXPECT(condition)                                                                      \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "line %d, message %u: %s\n", __LINE__, message_number, #condition); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

#define MOST 4096U
/* The number of known bytes on either side of a buffer. */
#define BESIDE 16U

static unsigned message_number = 0;

/* --- Salsa20 ----------------------------------------------------------------------------------- */

static uint32_t load(const uint8_t *x) {
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static uint32_t rotated(uint32_t x, int by) {
    return x << by | x >> (32 - by);
}

static void core(uint8_t *out, const uint8_t *in, const uint8_t *k) {
    static const uint8_t sigma[17] = "expand 32-byte k";
    uint32_t start[16], x[16];
    int i, j, round;
    for (i = 0; i < 4; i++) {
        start[5 * i] = load(sigma + 4 * i);
        start[1 + i] = load(k + 4 * i);
        start[6 + i] = load(in + 4 * i);
        start[11 + i] = load(k + 16 + 4 * i);
    }
    memcpy(x, start, sizeof x);
    for (round = 0; round < 20; round++) {
        for (i = 0; i < 4; i++) {
            uint32_t *at[4];
            /* Columns, then rows, each from the diagonal on. */
            for (j = 0; j < 4; j++) {
                at[j] = &x[round % 2 == 0 ? (5 * i + 4 * j) % 16 : 4 * i + (i + j) % 4];
            }
            *at[1] ^= rotated(*at[0] + *at[3], 7);
            *at[2] ^= rotated(*at[1] + *at[0], 9);
            *at[3] ^= rotated(*at[2] + *at[1], 13);
            *at[0] ^= rotated(*at[3] + *at[2], 18);
        }
    }
    for (i = 0; i < 16; i++) {
        uint32_t sum = x[i] + start[i];
        for (j = 0; j < 4; j++) out[4 * i + j] = (uint8_t)(sum >> 8 * j);
    }
}

/* A stream of Salsa20 for each call: the number of the call is the nonce. */
typedef struct {
    const char *key;
    uint64_t calls;
} generator;

static void generate(generator *from, uint8_t *x, size_t len) {
    uint8_t in[16], block[64];
    uint64_t at;
    size_t i;
    for (at = 0; at * 64 < len; at++) {
        for (i = 0; i < 8; i++) {
            in[i] = (uint8_t)(from->calls >> 8 * i);
            in[8 + i] = (uint8_t)(at >> 8 * i);
        }
        core(block, in, (const uint8_t *)from->key);
        for (i = 0; i < 64 && at * 64 + i < len; i++) x[at * 64 + i] = block[i];
    }
    from->calls++;
}

static generator inputs = {"generate inputs for test vectors", 0};
static generator besides = {"generate pad to catch overwrites", 0};

static uint64_t number(void) {
    uint8_t x[8];
    generate(&inputs, x, sizeof x);
    return load(x) | (uint64_t)load(x + 4) << 32;
}

/* --- The checksum ------------------------------------------------------------------------------ */

static uint8_t sum[64];

static void checksum(const uint8_t *x, size_t len) {
    uint8_t block[16] = {0};
    for (; len >= 16; x += 16, len -= 16) core(sum, x, sum);
    memcpy(block, x, len);
    block[len] = 1;
    sum[0] ^= 1;
    core(sum, block, sum);
}

/* --- Buffers ----------------------------------------------------------------------------------- */

typedef struct {
    size_t len;
    /* The buffer for the functions with the bytes beside it, and its contents before. */
    uint8_t now[BESIDE + MOST + 64 + BESIDE], before[BESIDE + MOST + 64 + BESIDE];
} buffer;

static void keep(buffer *x) {
    memcpy(x->before, x->now, x->len + 2 * BESIDE);
}

static uint8_t *input(buffer *x, size_t len) {
    x->len = len;
    generate(&inputs, x->now + BESIDE, len);
    generate(&besides, x->now, BESIDE);
    generate(&besides, x->now + BESIDE + len, BESIDE);
    keep(x);
    return x->now + BESIDE;
}

static uint8_t *output(buffer *x, size_t len) {
    x->len = len;
    generate(&besides, x->now, len + 2 * BESIDE);
    keep(x);
    return x->now + BESIDE;
}

static int unchanged(const buffer *x) {
    return memcmp(x->now, x->before, x->len + 2 * BESIDE) == 0;
}

static int unchanged_beside(const buffer *x, size_t len) {
    return memcmp(x->now, x->before, BESIDE) == 0 &&
           memcmp(x->now + BESIDE + len, x->before + BESIDE + len, x->len - len + BESIDE) == 0;
}

static buffer key, nonce, ad, message, sealed, opened, again;

static int inputs_unchanged(void) {
    return unchanged(&key) && unchanged(&nonce) && unchanged(&ad);
}

/* Opens what was altered: refused, and no plaintext. */
static void altered(uint8_t *at, const uint8_t *c, unsigned long long clen, const uint8_t *a,
                    unsigned long long alen, const uint8_t *p, const uint8_t *k, uint8_t by) {
    unsigned long long mlen = 7;
    uint8_t *m = output(&again, (size_t)clen);
    size_t i;
    *at = (uint8_t)(*at ^ by);
    EXPECT(crypto_aead_decrypt(m, &mlen, NULL, c, clen, a, alen, p, k) == -1);
    *at = (uint8_t)(*at ^ by);
    EXPECT(mlen == 7);
    for (i = 0; i + crypto_aead_ABYTES < clen; i++) EXPECT(m[i] == 0);
}

/* SUPERCOP's test of one message. Its alterations come out of its generator: so do ours. */
static void one(size_t most) {
    size_t mlen = (size_t)(number() % (most + 1)), alen = (size_t)(number() % (most + 1));
    unsigned long long clen = 0, found = 0;
    uint8_t *c = output(&sealed, mlen + crypto_aead_ABYTES), *m = input(&message, mlen);
    uint8_t *a = input(&ad, alen), *secret = input(&again, crypto_aead_NSECBYTES);
    uint8_t *p = input(&nonce, crypto_aead_NPUBBYTES), *k = input(&key, crypto_aead_KEYBYTES);
    uint8_t *t;
    int i;
    EXPECT(crypto_aead_encrypt(c, &clen, m, mlen, a, alen, secret, p, k) == 0);
    EXPECT(clen == mlen + crypto_aead_ABYTES);
    EXPECT(unchanged_beside(&sealed, sealed.len) && unchanged(&message) && inputs_unchanged());
    checksum(c, (size_t)clen);

    keep(&sealed);
    t = output(&opened, (size_t)clen);
    EXPECT(crypto_aead_decrypt(t, &found, NULL, c, clen, a, alen, p, k) == 0);
    EXPECT(found == mlen && memcmp(t, m, mlen) == 0);
    EXPECT(unchanged_beside(&opened, mlen) && unchanged(&sealed) && inputs_unchanged());
    checksum(t, (size_t)found);
    checksum(t, 0);

    /* In place, which is more than SUPERCOP asks for with NOOVERLAP. */
    EXPECT(crypto_aead_decrypt(c, &found, NULL, c, clen, a, alen, p, k) == 0);
    EXPECT(memcmp(c, m, mlen) == 0);
    EXPECT(crypto_aead_encrypt(c, &clen, c, mlen, a, alen, NULL, p, k) == 0);
    EXPECT(unchanged(&sealed));

    /* Each kind of byte. */
    if (mlen > 0) altered(c + mlen / 2, c, clen, a, alen, p, k, 1);
    altered(c + mlen, c, clen, a, alen, p, k, 1);
    altered(c + clen - 1, c, clen, a, alen, p, k, 0x80);
    altered(p + crypto_aead_NPUBBYTES - 1, c, clen, a, alen, p, k, 1);
    altered(k + crypto_aead_KEYBYTES - 1, c, clen, a, alen, p, k, 1);
    if (alen > 0) {
        altered(a + alen - 1, c, clen, a, alen, p, k, 1);
        altered(a, c, clen, a, alen - 1, p, k, 0);
    }
    altered(c, c, clen - 1, a, alen, p, k, 0);
    altered(c, c, crypto_aead_ABYTES - 1, a, alen, p, k, 0);

    for (i = 0; i < 3; i++) {
        uint8_t *at = c + number() % clen;
        *at = (uint8_t)(*at + 1 + number() % 255);
        EXPECT(crypto_aead_decrypt(t, &found, NULL, c, clen, a, alen, p, k) == -1);
    }
}

/* Nothing at all, for which no pointer is needed. */
static void empty(void) {
    unsigned long long clen = 0, mlen = 1;
    uint8_t c[crypto_aead_ABYTES];
    uint8_t *p = input(&nonce, crypto_aead_NPUBBYTES), *k = input(&key, crypto_aead_KEYBYTES);
    EXPECT(crypto_aead_encrypt(c, &clen, NULL, 0, NULL, 0, NULL, p, k) == 0);
    EXPECT(clen == sizeof c);
    EXPECT(crypto_aead_decrypt(NULL, &mlen, NULL, c, clen, NULL, 0, p, k) == 0);
    EXPECT(mlen == 0);
    c[0] ^= 1;
    EXPECT(crypto_aead_decrypt(NULL, &mlen, NULL, c, clen, NULL, 0, p, k) == -1);
}

/* --- Known answers ----------------------------------------------------------------------------- */

static unsigned long long unhex(uint8_t *to, const char *text) {
    size_t i, len = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
    for (i = 0; i < len; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], 0};
        to[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return len;
}

/* How many answers the file has, each as it should be. Lines are those of tests/c/flat.rs. */
static unsigned answers(const char *path) {
    enum { KIND, NAME, VALID, KEY, SETUP, NONCE, AD, MESSAGE, SEALED, FIELDS };
    static char line[1 << 22];
    static uint8_t given[FIELDS][1 << 20], made[1 << 20];
    FILE *file = fopen(path, "r");
    unsigned count = 0;
    EXPECT(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long long len[FIELDS], made_len = 0;
        char *field[FIELDS];
        int i, valid;
        message_number++;
        for (i = 0; i < FIELDS; i++) EXPECT((field[i] = strtok(i == 0 ? line : NULL, " \n")) != NULL);
        for (i = KEY; i < FIELDS; i++) {
            EXPECT(strlen(field[i]) / 2 <= sizeof made);
            len[i] = unhex(given[i], field[i]);
        }
        EXPECT(len[KEY] == crypto_aead_KEYBYTES && len[NONCE] == crypto_aead_NPUBBYTES);
        valid = strcmp(field[VALID], "valid") == 0;
        if (valid) {
            EXPECT(crypto_aead_encrypt(made, &made_len, given[MESSAGE], len[MESSAGE], given[AD],
                                       len[AD], NULL, given[NONCE], given[KEY]) == 0);
            EXPECT(made_len == len[SEALED] && memcmp(made, given[SEALED], (size_t)made_len) == 0);
        }
        EXPECT(crypto_aead_decrypt(made, &made_len, NULL, given[SEALED], len[SEALED], given[AD],
                                   len[AD], given[NONCE], given[KEY]) == (valid ? 0 : -1));
        if (valid) {
            EXPECT(made_len == len[MESSAGE]);
            EXPECT(memcmp(made, given[MESSAGE], (size_t)made_len) == 0);
        }
        count++;
    }
    fclose(file);
    return count;
}

int main(int count, char **arguments) {
    int i, small, big;
    EXPECT(count == 2);
    small = strcmp(arguments[1], "small") == 0;
    big = strcmp(arguments[1], "big") == 0;
    if (!small && !big) {
        printf("%u\n", answers(arguments[1]));
        return 0;
    }
    for (message_number = 0; message_number < (big ? 512U : 64U); message_number++) {
        one(big ? MOST : 128);
    }
    for (i = 0; i < 32; i++) printf("%02x", sum[i]);
    printf("\n");
    empty();
    return 0;
}
