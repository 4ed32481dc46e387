/*
 * Every vector through every way to seal and open: prepared keys, one call, detached, in place, in
 * pieces. What is not valid must be refused by each, and leave zeros.
 */

#include <polyseal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int encrypt_function(uint8_t *, const uint8_t *, size_t, const uint8_t *, size_t,
                             const uint8_t *, const uint8_t *);
typedef int encrypt_detached_function(uint8_t *, uint8_t *, const uint8_t *, size_t,
                                      const uint8_t *, size_t, const uint8_t *, const uint8_t *);
typedef int decrypt_detached_function(uint8_t *, const uint8_t *, size_t, const uint8_t *,
                                      const uint8_t *, size_t, const uint8_t *, const uint8_t *);
typedef int mac_function(uint8_t *, const uint8_t *, size_t, const uint8_t *, const uint8_t *);
typedef int verify_function(const uint8_t *, const uint8_t *, size_t, const uint8_t *,
                            const uint8_t *);

/* The functions of one algorithm; what it does not have is NULL. */
typedef struct {
    const char *name;
    encrypt_function *encrypt;
    encrypt_function *decrypt;
    encrypt_detached_function *encrypt_detached;
    decrypt_detached_function *decrypt_detached;
    mac_function *mac;
    verify_function *verify;
} functions;

static const functions list[] = {
#define AEAD(c, name)                                                                          \
    {name, polyseal_##c##_encrypt, polyseal_##c##_decrypt, polyseal_##c##_encrypt_detached,    \
     polyseal_##c##_decrypt_detached, NULL, NULL},
#define SEGMENTED(c, name)                                                                     \
    {name, polyseal_##c##_encrypt, polyseal_##c##_decrypt, NULL, NULL, NULL, NULL},
#define MAC(c, name) {name, NULL, NULL, NULL, NULL, polyseal_##c, polyseal_##c##_verify},
#include "list.inc"
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL}};

static unsigned long line_number = 0;
static const char *current = "";

static void fail(const char *what) {
    fprintf(stderr, "line %lu, %s: %s: %s\n", line_number, current, what,
            polyseal_last_error_text());
    exit(1);
}

#define EXPECT(condition)                                                                      \
    do {                                                                                       \
        if (!(condition)) fail(#condition);                                                    \
    } while (0)

typedef struct {
    uint8_t *bytes;
    size_t length;
} blob;

static blob allocate(size_t length) {
    blob made = {(uint8_t *)malloc(length + 1), length};
    EXPECT(made.bytes != NULL);
    memset(made.bytes, 0xa5, length + 1);
    return made;
}

static blob copy(blob from) {
    blob made = allocate(from.length);
    memcpy(made.bytes, from.bytes, from.length);
    return made;
}

static unsigned digit(char c) {
    return (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

static blob unhex(const char *text) {
    size_t i;
    blob made = allocate(strcmp(text, "-") == 0 ? 0 : strlen(text) / 2);
    for (i = 0; i < made.length; i++) {
        made.bytes[i] = (uint8_t)(16 * digit(text[2 * i]) + digit(text[2 * i + 1]));
    }
    return made;
}

static int same(blob a, blob b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static int zeros(blob a) {
    size_t i;
    for (i = 0; i < a.length; i++) {
        if (a.bytes[i] != 0) return 0;
    }
    return 1;
}

/* Whether an opening did what it must; output is then forgotten. */
static void opened(int result, int valid, blob output, blob message) {
    if (valid) {
        EXPECT(result == 0);
        EXPECT(same(output, message));
    } else {
        EXPECT(result == -1);
        EXPECT(polyseal_last_error() == POLYSEAL_ERR_UNAUTHENTIC);
        EXPECT(zeros(output));
    }
    memset(output.bytes, 0xa5, output.length);
}

typedef struct {
    blob key, setup, npub, ad, message, sealed;
    int valid;
} vector;

static const functions *find(const char *name) {
    const functions *f;
    for (f = list; f->name != NULL; f++) {
        if (strcmp(f->name, name) == 0) return f;
    }
    return NULL;
}

/* A piece's length: 0, 1, 2, 3 ... bytes, as far as they go. */
static size_t piece(size_t round, size_t left) {
    return round % 37 < left ? round % 37 : left;
}

static void in_pieces(const char *name, const vector *v, blob c, blob mac) {
    polyseal_encryptor *encryptor;
    polyseal_decryptor *decryptor;
    size_t at, round;
    blob output = copy(v->message), tag = allocate(mac.length), message = allocate(c.length);
    if (v->valid) {
        EXPECT(polyseal_encryptor_new(&encryptor, name, v->key.bytes, v->key.length, v->npub.bytes,
                                      v->npub.length, v->ad.bytes, v->ad.length) == 0);
        for (at = 0, round = 0; at < output.length; round++) {
            size_t bytes = piece(round, output.length - at);
            EXPECT(polyseal_encryptor_update(encryptor, output.bytes + at, output.bytes + at,
                                             bytes) == 0);
            at += bytes;
        }
        EXPECT(polyseal_encryptor_final(encryptor, tag.bytes, tag.length) == 0);
        EXPECT(polyseal_encryptor_final(encryptor, tag.bytes, tag.length) == -1);
        EXPECT(polyseal_last_error() == POLYSEAL_ERR_FINISHED);
        EXPECT(same(output, c) && same(tag, mac));
        polyseal_encryptor_free(encryptor);
    }
    EXPECT(polyseal_decryptor_new(&decryptor, name, v->key.bytes, v->key.length, v->npub.bytes,
                                  v->npub.length, v->ad.bytes, v->ad.length, c.length) == 0);
    for (at = 0, round = 0; at < c.length; round++) {
        size_t bytes = piece(round, c.length - at);
        EXPECT(polyseal_decryptor_update(decryptor, c.bytes + at, bytes) == 0);
        at += bytes;
    }
    opened(polyseal_decryptor_final(decryptor, message.bytes, message.length, mac.bytes,
                                    mac.length),
           v->valid, message, v->message);
    polyseal_decryptor_free(decryptor);
    free(output.bytes);
    free(tag.bytes);
    free(message.bytes);
}

static void detached(const polyseal_aead *aead, const functions *f, const vector *v, blob c,
                     blob mac) {
    blob output = allocate(c.length), tag = allocate(mac.length), message = allocate(c.length);
    if (v->valid) {
        EXPECT(polyseal_aead_seal_detached(aead, output.bytes, tag.bytes, tag.length,
                                           v->message.bytes, v->message.length, v->ad.bytes,
                                           v->ad.length, v->npub.bytes, v->npub.length) == 0);
        EXPECT(same(output, c) && same(tag, mac));
    }
    opened(polyseal_aead_open_detached(aead, message.bytes, c.bytes, c.length, mac.bytes,
                                       mac.length, v->ad.bytes, v->ad.length, v->npub.bytes,
                                       v->npub.length),
           v->valid, message, v->message);
    if (f != NULL) {
        if (v->valid) {
            memset(output.bytes, 0, output.length);
            memset(tag.bytes, 0, tag.length);
            EXPECT(f->encrypt_detached(output.bytes, tag.bytes, v->message.bytes,
                                       v->message.length, v->ad.bytes, v->ad.length,
                                       v->npub.bytes, v->key.bytes) == 0);
            EXPECT(same(output, c) && same(tag, mac));
        }
        opened(f->decrypt_detached(message.bytes, c.bytes, c.length, mac.bytes, v->ad.bytes,
                                   v->ad.length, v->npub.bytes, v->key.bytes),
               v->valid, message, v->message);
    }
    free(output.bytes);
    free(tag.bytes);
    free(message.bytes);
}

static void in_batch(const polyseal_aead *aead, const vector *v, blob c, blob mac) {
    polyseal_message messages[5];
    blob texts[5], tags[5];
    size_t i;
    for (i = 0; i < 5; i++) {
        texts[i] = copy(c);
        tags[i] = copy(mac);
        messages[i].npub = v->npub.bytes;
        messages[i].ad = v->ad.bytes;
        messages[i].adlen = v->ad.length;
        messages[i].text = texts[i].bytes;
        messages[i].textlen = texts[i].length;
        messages[i].mac = tags[i].bytes;
    }
    EXPECT(polyseal_aead_open_batch(aead, messages, 5) == (v->valid ? 0 : -1));
    for (i = 0; i < 5; i++) {
        EXPECT((messages[i].outcome == 0) == v->valid);
        EXPECT(v->valid ? same(texts[i], v->message) : zeros(texts[i]));
    }
    if (v->valid) {
        EXPECT(polyseal_aead_seal_batch(aead, messages, 5) == 0);
    }
    for (i = 0; i < 5; i++) {
        EXPECT(!v->valid || (same(texts[i], c) && same(tags[i], mac)));
        free(texts[i].bytes);
        free(tags[i].bytes);
    }
}

static void check_aead(const char *name, const vector *v) {
    polyseal_algorithm algorithm;
    polyseal_aead *aead;
    const functions *f = v->setup.length > 0 ? NULL : find(name);
    blob output = allocate(v->sealed.length), message, place;
    size_t length;
    EXPECT(polyseal_algorithm_get(&algorithm, name) == 0);
    EXPECT(polyseal_aead_new_with_setup(&aead, name, v->key.bytes, v->key.length, v->setup.bytes,
                                        v->setup.length) == 0);
    if (v->valid) {
        EXPECT(polyseal_aead_sealedbytes(aead, v->message.length, &length) == 0);
        EXPECT(length == v->sealed.length);
        EXPECT(polyseal_aead_seal(aead, output.bytes, output.length, v->message.bytes,
                                  v->message.length, v->ad.bytes, v->ad.length, v->npub.bytes,
                                  v->npub.length) == 0);
        EXPECT(same(output, v->sealed));
        if (f != NULL) {
            memset(output.bytes, 0, output.length);
            memcpy(output.bytes, v->message.bytes, v->message.length);
            EXPECT(f->encrypt(output.bytes, output.bytes, v->message.length, v->ad.bytes,
                              v->ad.length, v->npub.bytes, v->key.bytes) == 0);
            EXPECT(same(output, v->sealed));
        }
    }
    if (polyseal_aead_openedbytes(aead, v->sealed.length, &length) != 0) {
        EXPECT(!v->valid && polyseal_last_error() == POLYSEAL_ERR_LENGTH);
        EXPECT(polyseal_aead_open(aead, output.bytes, 0, v->sealed.bytes, v->sealed.length,
                                  v->ad.bytes, v->ad.length, v->npub.bytes,
                                  v->npub.length) == -1);
        EXPECT(polyseal_last_error() == POLYSEAL_ERR_LENGTH);
        goto done;
    }
    EXPECT(algorithm.segments || length == v->sealed.length - algorithm.abytes);
    message = allocate(length);
    opened(polyseal_aead_open(aead, message.bytes, message.length, v->sealed.bytes,
                              v->sealed.length, v->ad.bytes, v->ad.length, v->npub.bytes,
                              v->npub.length),
           v->valid, message, v->message);
    if (algorithm.headbytes > 0) {
        opened(polyseal_aead_open(aead, message.bytes, message.length, v->sealed.bytes,
                                  v->sealed.length, v->ad.bytes, v->ad.length, NULL, 0),
               v->valid, message, v->message);
    }
    if (f != NULL) {
        place = copy(v->sealed);
        place.length = length;
        opened(f->decrypt(place.bytes, place.bytes, v->sealed.length, v->ad.bytes, v->ad.length,
                          v->npub.bytes, v->key.bytes),
               v->valid, place, v->message);
        free(place.bytes);
    }
    if (!algorithm.segments) {
        blob c = allocate(length), mac = allocate(algorithm.abytes);
        size_t head = algorithm.headbytes;
        memcpy(mac.bytes, v->sealed.bytes, head);
        memcpy(c.bytes, v->sealed.bytes + head, length);
        memcpy(mac.bytes + head, v->sealed.bytes + head + length, mac.length - head);
        detached(aead, f, v, c, mac);
        in_batch(aead, v, c, mac);
        if (algorithm.pieces) {
            in_pieces(name, v, c, mac);
        }
        free(c.bytes);
        free(mac.bytes);
    }
    free(message.bytes);
done:
    free(output.bytes);
    polyseal_aead_free(aead);
}

static void check_mac(const char *name, const vector *v) {
    polyseal_mac *mac;
    polyseal_macstate *state;
    const functions *f = find(name);
    blob tag = allocate(v->sealed.length);
    size_t half = v->message.length / 2;
    int round;
    EXPECT(f != NULL);
    EXPECT(polyseal_mac_new(&mac, name, v->key.bytes, v->key.length) == 0);
    if (v->valid) {
        EXPECT(polyseal_mac_compute(mac, tag.bytes, tag.length, v->message.bytes,
                                    v->message.length, v->npub.bytes, v->npub.length) == 0);
        EXPECT(same(tag, v->sealed));
        memset(tag.bytes, 0, tag.length);
        EXPECT(f->mac(tag.bytes, v->message.bytes, v->message.length, v->npub.bytes,
                      v->key.bytes) == 0);
        EXPECT(same(tag, v->sealed));
    }
    EXPECT(polyseal_mac_verify(mac, v->sealed.bytes, v->sealed.length, v->message.bytes,
                               v->message.length, v->npub.bytes,
                               v->npub.length) == (v->valid ? 0 : -1));
    EXPECT(f->verify(v->sealed.bytes, v->message.bytes, v->message.length, v->npub.bytes,
                     v->key.bytes) == (v->valid ? 0 : -1));
    for (round = 0; round < 2; round++) {
        EXPECT(polyseal_macstate_new(&state, name, v->key.bytes, v->key.length, v->npub.bytes,
                                     v->npub.length) == 0);
        EXPECT(polyseal_macstate_update(state, v->message.bytes, half) == 0);
        EXPECT(polyseal_macstate_update(state, v->message.bytes + half,
                                        v->message.length - half) == 0);
        if (round == 0) {
            EXPECT(polyseal_macstate_verify(state, v->sealed.bytes, v->sealed.length) ==
                   (v->valid ? 0 : -1));
        } else {
            EXPECT(polyseal_macstate_final(state, tag.bytes, tag.length) == 0);
            EXPECT(same(tag, v->sealed) == v->valid);
        }
        EXPECT(polyseal_macstate_update(state, v->message.bytes, half) == -1);
        polyseal_macstate_free(state);
    }
    polyseal_mac_free(mac);
    free(tag.bytes);
}

static void check_wide(const char *name, const vector *v) {
    polyseal_hazmat_wide_block *cipher;
    blob output = allocate(v->sealed.length), message;
    /* The lowest flag of the configuration is that of a hidden nonce. */
    const char *cfg = strstr(name, "cfg=");
    int hides = cfg != NULL && digit(cfg[7]) % 2 == 1;
    size_t stretch;
    EXPECT(polyseal_hazmat_wide_block_new(&cipher, name, v->key.bytes, v->key.length,
                                          v->setup.bytes, v->setup.length) == 0);
    stretch = polyseal_hazmat_wide_block_overheadbytes(cipher);
    if (v->valid) {
        EXPECT(v->message.length + stretch == v->sealed.length);
        EXPECT(polyseal_hazmat_wide_block_encipher(cipher, output.bytes, output.length,
                                                   v->message.bytes, v->message.length,
                                                   v->ad.bytes, v->ad.length, v->npub.bytes,
                                                   v->npub.length) == 0);
        EXPECT(same(output, v->sealed));
    }
    message = allocate(v->sealed.length < stretch ? 0 : v->sealed.length - stretch);
    if (v->sealed.length < stretch) {
        EXPECT(!v->valid);
        EXPECT(polyseal_hazmat_wide_block_decipher(cipher, NULL, 0, v->sealed.bytes,
                                                   v->sealed.length, v->ad.bytes, v->ad.length,
                                                   v->npub.bytes, v->npub.length) == -1);
        EXPECT(polyseal_last_error() == POLYSEAL_ERR_LENGTH);
    } else {
        opened(polyseal_hazmat_wide_block_decipher(cipher, message.bytes, message.length,
                                                   v->sealed.bytes, v->sealed.length,
                                                   v->ad.bytes, v->ad.length, v->npub.bytes,
                                                   hides ? 0 : v->npub.length),
               v->valid, message, v->message);
    }
    free(output.bytes);
    free(message.bytes);
    polyseal_hazmat_wide_block_free(cipher);
}

int main(int argc, char **argv) {
    static char line[1 << 20];
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    EXPECT(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        char *words[9];
        vector v;
        int i;
        line_number++;
        for (i = 0; i < 9; i++) {
            words[i] = strtok(i == 0 ? line : NULL, " \n");
            EXPECT(words[i] != NULL);
        }
        current = words[1];
        v.valid = strcmp(words[2], "valid") == 0;
        v.key = unhex(words[3]);
        v.setup = unhex(words[4]);
        v.npub = unhex(words[5]);
        v.ad = unhex(words[6]);
        v.message = unhex(words[7]);
        v.sealed = unhex(words[8]);
        if (strcmp(words[0], "mac") == 0) {
            check_mac(words[1], &v);
        } else if (strcmp(words[0], "wide") == 0) {
            check_wide(words[1], &v);
        } else {
            check_aead(words[1], &v);
        }
        free(v.key.bytes);
        free(v.setup.bytes);
        free(v.npub.bytes);
        free(v.ad.bytes);
        free(v.message.bytes);
        free(v.sealed.bytes);
    }
    fclose(file);
    printf("%lu vectors\n", line_number);
    return 0;
}
