/* The mistakes of a program in C, and the errors that it is given. */

#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { TAG = polyseal_aegis128x2_ABYTES };

static const uint8_t k[16] = {1}, n[16] = {2};

static int one_call(void) {
    uint8_t buffer[128], c[64];
    size_t at;
    memset(buffer, 7, sizeof buffer);
    /* Nothing may be NULL, and where there is nothing anything may be. */
    EXPECT(polyseal_aegis128x2_encrypt(c, NULL, 0, NULL, 0, n, k) == 0);
    EXPECT(polyseal_aegis128x2_decrypt(NULL, c, TAG, NULL, 0, n, k) == 0);
    FAILS(polyseal_aegis128x2_encrypt(c, NULL, 1, NULL, 0, n, k), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aegis128x2_encrypt(NULL, buffer, 1, NULL, 0, n, k), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aegis128x2_encrypt(NULL, NULL, 0, NULL, 0, n, k), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aegis128x2_encrypt(c, buffer, 1, NULL, 1, n, k), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aegis128x2_encrypt(c, buffer, 1, NULL, 0, NULL, k), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aegis128x2_encrypt(c, buffer, 1, NULL, 0, n, NULL), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aegis128x2_decrypt(buffer, NULL, TAG, NULL, 0, n, k), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aegis128x2_decrypt(buffer, c, TAG - 1, NULL, 0, n, k), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_aegis128x2_keygen(NULL), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aegis128x2_encrypt(c, buffer, (size_t)-1, NULL, 0, n, k),
          POLYSEAL_ERR_TOO_LONG);
    FAILS(polyseal_aegis128x2_encrypt(c, buffer, 1, buffer, (size_t)-1, n, k),
          POLYSEAL_ERR_TOO_LONG);
    FAILS(polyseal_aegis128x2_encrypt_detached(c, NULL, buffer, 1, NULL, 0, n, k),
          POLYSEAL_ERR_NULL);
    /* Every way to overlap but one: m and c from the same byte on. */
    for (at = 1; at < 16 + TAG; at++) {
        FAILS(polyseal_aegis128x2_encrypt(buffer, buffer + at, 16, NULL, 0, n, k),
              POLYSEAL_ERR_OVERLAP);
    }
    EXPECT(polyseal_aegis128x2_encrypt(buffer, buffer + at, 16, NULL, 0, n, k) == 0);
    memset(buffer, 7, sizeof buffer);
    FAILS(polyseal_aegis128x2_encrypt(buffer + 1, buffer, 16, NULL, 0, n, k),
          POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_aegis128x2_encrypt(buffer, c, 16, buffer + 15, 1, n, k), POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_aegis128x2_encrypt(buffer, c, 16, buffer + 16, 1, n, k), POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_aegis128x2_encrypt(buffer, c, 16, NULL, 0, buffer + 31, k),
          POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_aegis128x2_encrypt(buffer, c, 16, NULL, 0, n, buffer + 8),
          POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_aegis128x2_encrypt_detached(buffer, buffer + 15, c, 16, NULL, 0, n, k),
          POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_aegis128x2_encrypt_detached(buffer, c + 15, c, 16, NULL, 0, n, k),
          POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_aegis128x2_decrypt(buffer + 1, buffer, 16 + TAG, NULL, 0, n, k),
          POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_flex_och_encrypt(buffer, buffer + 64, 1, NULL, 0, c, c), POLYSEAL_ERR_OVERLAP);
    /* None of it has written anything. */
    for (at = 0; at < sizeof buffer; at++) {
        EXPECT(buffer[at] == 7);
    }
    return 0;
}

static int refused_messages_are_zeros(void) {
    uint8_t m[100], c[sizeof m + TAG], zeros[sizeof m];
    size_t i;
    memset(zeros, 0, sizeof zeros);
    memset(m, 9, sizeof m);
    EXPECT(polyseal_aegis128x2_encrypt(c, m, sizeof m, NULL, 0, n, k) == 0);
    for (i = 0; i < sizeof c; i++) {
        c[i] ^= 0x40;
        memset(m, 9, sizeof m);
        FAILS(polyseal_aegis128x2_decrypt(m, c, sizeof c, NULL, 0, n, k),
              POLYSEAL_ERR_UNAUTHENTIC);
        EXPECT(memcmp(m, zeros, sizeof m) == 0);
        c[i] ^= 0x40;
    }
    EXPECT(polyseal_aegis128x2_decrypt(m, c, sizeof c, NULL, 0, n, k) == 0);
    EXPECT(m[0] == 9 && m[99] == 9);
    return 0;
}

static int prepared_keys(void) {
    uint8_t key[32] = {1}, m[16] = {2}, c[16 + 64], random[24 + 16 + 48], back[16];
    polyseal_aead *aead = (polyseal_aead *)m;
    size_t length, i;
    FAILS(polyseal_aead_new(NULL, "aegis-256", key, 32), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aead_new(&aead, NULL, key, 32), POLYSEAL_ERR_NULL);
    EXPECT(aead == NULL);
    FAILS(polyseal_aead_new(&aead, "aegis-257", key, 32), POLYSEAL_ERR_ALGORITHM);
    FAILS(polyseal_aead_new(&aead, "\xff", key, 32), POLYSEAL_ERR_TEXT);
    FAILS(polyseal_aead_new(&aead, "aegis-256:tag=17", key, 32), POLYSEAL_ERR_ALGORITHM);
    FAILS(polyseal_aead_new(&aead, "aegis-256", key, 31), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_aead_new(&aead, "aegis-256", NULL, 32), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aead_new(&aead, "aegis-256-mac", key, 32), POLYSEAL_ERR_UNSUPPORTED);
    FAILS(polyseal_aead_new_with_setup(&aead, "aegis-256", key, 32, m, 1),
          POLYSEAL_ERR_UNSUPPORTED);
    polyseal_aead_free(NULL);
    EXPECT(polyseal_aead_abytes(NULL) == 0);

    EXPECT(polyseal_aead_new(&aead, "kc-xaes-256-gcm", key, 32) == 0);
    EXPECT(polyseal_aead_npubbytes(aead) == 24 && polyseal_aead_abytes(aead) == 48);
    EXPECT(polyseal_aead_sealedbytes(aead, 16, &length) == 0 && length == 64);
    FAILS(polyseal_aead_sealedbytes(aead, (size_t)-1, &length), POLYSEAL_ERR_TOO_LONG);
    FAILS(polyseal_aead_seal(NULL, c, 64, m, 16, NULL, 0, key, 24), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aead_seal(aead, c, 63, m, 16, NULL, 0, key, 24), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_aead_seal(aead, c, 64, m, 16, NULL, 0, key, 23), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_aead_seal(aead, c, 64, c + 1, 16, NULL, 0, key, 24), POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_aead_seal(aead, c, 64, m, 16, c + 63, 1, key, 24), POLYSEAL_ERR_OVERLAP);
    EXPECT(polyseal_aead_seal(aead, c, 64, m, 16, NULL, 0, key, 24) == 0);
    FAILS(polyseal_aead_open(aead, back, 15, c, 64, NULL, 0, key, 24), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_aead_open(aead, back, 0, c, 47, NULL, 0, key, 24), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_aead_open(aead, back, 16, c, 64, NULL, 0, NULL, 0), POLYSEAL_ERR_LENGTH);
    EXPECT(polyseal_aead_open(aead, back, 16, c, 64, NULL, 0, key, 24) == 0);
    EXPECT(memcmp(back, m, 16) == 0);

    EXPECT(polyseal_aead_randombytes(aead, 16, &length) == 0 && length == sizeof random);
    EXPECT(polyseal_aead_seal_random(aead, random, length, m, 16, NULL, 0) == 0);
    EXPECT(polyseal_aead_open_random(aead, back, 16, random, length, NULL, 0) == 0);
    EXPECT(memcmp(back, m, 16) == 0);
    EXPECT(polyseal_aead_open_random(aead, random, 16, random, length, NULL, 0) == 0);
    EXPECT(memcmp(random, m, 16) == 0);
    FAILS(polyseal_aead_open_random(aead, back, 0, random, 23, NULL, 0), POLYSEAL_ERR_LENGTH);
    polyseal_aead_free(aead);

    EXPECT(polyseal_aead_new(&aead, "aes-256-gcm", key, 32) == 0);
    FAILS(polyseal_aead_seal_random(aead, c, 12 + 16 + 16, m, 16, NULL, 0),
          POLYSEAL_ERR_UNSUPPORTED);
    polyseal_aead_free(aead);

    EXPECT(polyseal_aead_new(&aead, "flex-och-stream", key, 32) == 0);
    FAILS(polyseal_aead_seal_detached(aead, c, c + 16, 32, m, 16, NULL, 0, key, 24),
          POLYSEAL_ERR_UNSUPPORTED);
    polyseal_aead_free(aead);

    for (i = 0; polyseal_algorithm_name(i) != NULL; i++) {
        polyseal_algorithm algorithm;
        EXPECT(polyseal_algorithm_get(&algorithm, polyseal_algorithm_name(i)) == 0);
        EXPECT(algorithm.keybytes >= 16);
    }
    EXPECT(i > 30 && polyseal_algorithm_name((size_t)-1) == NULL);
    return 0;
}

static int wide_blocks(void) {
    static const char *const robust = "wide-block-robust-no-commitment";
    static const char *const keeps = "wide-block-length-preserving-no-authenticity";
    uint8_t key[1025] = {1}, m[40], c[40], zeros[40];
    polyseal_hazmat_wide_block *w = (polyseal_hazmat_wide_block *)m;
    size_t i;
    memset(zeros, 0, sizeof zeros);
    memset(m, 7, sizeof m);
    FAILS(polyseal_hazmat_wide_block_new(NULL, robust, key, 32, NULL, 0), POLYSEAL_ERR_NULL);
    FAILS(polyseal_hazmat_wide_block_new(&w, NULL, key, 32, NULL, 0), POLYSEAL_ERR_NULL);
    EXPECT(w == NULL);
    FAILS(polyseal_hazmat_wide_block_new(&w, "flex-robust", key, 32, NULL, 0),
          POLYSEAL_ERR_ALGORITHM);
    FAILS(polyseal_hazmat_wide_block_new(&w, robust, key, 15, NULL, 0), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_hazmat_wide_block_new(&w, robust, key, 1025, NULL, 0), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_hazmat_wide_block_new(&w, robust, key, 32, NULL, 1), POLYSEAL_ERR_NULL);
    polyseal_hazmat_wide_block_free(NULL);
    EXPECT(polyseal_hazmat_wide_block_overheadbytes(NULL) == 0);

    EXPECT(polyseal_hazmat_wide_block_new(&w, robust, key, 1024, NULL, 0) == 0);
    EXPECT(polyseal_hazmat_wide_block_overheadbytes(w) == 16);
    FAILS(polyseal_hazmat_wide_block_encipher(NULL, c, 40, m, 24, NULL, 0, n, 16),
          POLYSEAL_ERR_NULL);
    FAILS(polyseal_hazmat_wide_block_encipher(w, NULL, 40, m, 24, NULL, 0, n, 16),
          POLYSEAL_ERR_NULL);
    FAILS(polyseal_hazmat_wide_block_encipher(w, c, 40, NULL, 24, NULL, 0, n, 16),
          POLYSEAL_ERR_NULL);
    FAILS(polyseal_hazmat_wide_block_encipher(w, c, 39, m, 24, NULL, 0, n, 16),
          POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_hazmat_wide_block_encipher(w, c, 40, m, (size_t)-1, NULL, 0, n, 16),
          POLYSEAL_ERR_TOO_LONG);
    FAILS(polyseal_hazmat_wide_block_encipher(w, c, 40, c + 1, 24, NULL, 0, n, 16),
          POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_hazmat_wide_block_encipher(w, c, 40, m, 24, c + 39, 1, n, 16),
          POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_hazmat_wide_block_encipher(w, c, 40, m, 24, NULL, 0, c, 16),
          POLYSEAL_ERR_OVERLAP);
    EXPECT(polyseal_hazmat_wide_block_encipher(w, c, 40, m, 24, NULL, 0, n, 16) == 0);
    FAILS(polyseal_hazmat_wide_block_decipher(w, m, 23, c, 40, NULL, 0, n, 16),
          POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_hazmat_wide_block_decipher(w, m, 0, c, 15, NULL, 0, n, 16),
          POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_hazmat_wide_block_decipher(w, c + 1, 24, c, 40, NULL, 0, n, 16),
          POLYSEAL_ERR_OVERLAP);
    EXPECT(m[0] == 7);
    /* A stretch that is not zeros: the output is. */
    for (i = 0; i < sizeof c; i++) {
        c[i] ^= 0x40;
        memset(m, 7, sizeof m);
        FAILS(polyseal_hazmat_wide_block_decipher(w, m, 24, c, 40, NULL, 0, n, 16),
              POLYSEAL_ERR_UNAUTHENTIC);
        EXPECT(memcmp(m, zeros, 24) == 0 && m[24] == 7);
        c[i] ^= 0x40;
    }
    EXPECT(polyseal_hazmat_wide_block_decipher(w, c, 24, c, 40, NULL, 0, n, 16) == 0);
    EXPECT(c[0] == 7 && c[23] == 7);
    polyseal_hazmat_wide_block_free(w);

    /* Without one nothing is refused. */
    EXPECT(polyseal_hazmat_wide_block_new(&w, keeps, key, 32, NULL, 0) == 0);
    EXPECT(polyseal_hazmat_wide_block_overheadbytes(w) == 0);
    EXPECT(polyseal_hazmat_wide_block_decipher(w, c, 40, m, 40, NULL, 0, NULL, 0) == 0);
    EXPECT(polyseal_hazmat_wide_block_encipher(w, c, 40, c, 40, NULL, 0, NULL, 0) == 0);
    EXPECT(memcmp(c, m, 40) == 0);
    polyseal_hazmat_wide_block_free(w);
    return 0;
}

static int batches(void) {
    polyseal_aead *aead;
    uint8_t texts[3][20], tags[3][TAG];
    polyseal_message messages[3];
    size_t i;
    memset(texts, 5, sizeof texts);
    EXPECT(polyseal_aead_new(&aead, "aegis-128x2", k, sizeof k) == 0);
    for (i = 0; i < 3; i++) {
        messages[i].npub = n;
        messages[i].ad = NULL;
        messages[i].adlen = 0;
        messages[i].text = texts[i];
        messages[i].textlen = 20;
        messages[i].mac = tags[i];
    }
    EXPECT(polyseal_aead_seal_batch(aead, NULL, 0) == 0);
    FAILS(polyseal_aead_seal_batch(aead, NULL, 1), POLYSEAL_ERR_NULL);
    FAILS(polyseal_aead_seal_batch(aead, messages, (size_t)-1), POLYSEAL_ERR_TOO_LONG);
    messages[1].text = texts[0] + 19;
    FAILS(polyseal_aead_seal_batch(aead, messages, 3), POLYSEAL_ERR_OVERLAP);
    messages[1].text = (uint8_t *)messages;
    FAILS(polyseal_aead_seal_batch(aead, messages, 3), POLYSEAL_ERR_OVERLAP);
    messages[1].text = texts[1];
    messages[2].mac = tags[1];
    FAILS(polyseal_aead_seal_batch(aead, messages, 3), POLYSEAL_ERR_OVERLAP);
    messages[2].mac = tags[2];
    messages[0].ad = texts[2];
    messages[0].adlen = 1;
    FAILS(polyseal_aead_seal_batch(aead, messages, 3), POLYSEAL_ERR_OVERLAP);
    EXPECT(texts[0][0] == 5 && messages[0].outcome == POLYSEAL_ERR_UNAUTHENTIC);
    messages[0].ad = NULL;
    messages[0].adlen = 0;
    EXPECT(polyseal_aead_seal_batch(aead, messages, 3) == 0);
    EXPECT(memcmp(tags[0], tags[2], TAG) == 0);
    /* To be read, a tag may be several messages'. One that is altered spoils its own. */
    messages[2].mac = tags[0];
    texts[1][3] ^= 1;
    FAILS(polyseal_aead_open_batch(aead, messages, 3), POLYSEAL_ERR_UNAUTHENTIC);
    EXPECT(messages[0].outcome == 0 && messages[2].outcome == 0);
    EXPECT(messages[1].outcome == POLYSEAL_ERR_UNAUTHENTIC);
    EXPECT(texts[0][0] == 5 && texts[1][0] == 0 && texts[2][19] == 5);
    polyseal_aead_free(aead);
    return 0;
}

static int pieces(void) {
    polyseal_encryptor *encryptor;
    polyseal_decryptor *decryptor;
    uint8_t key[32] = {0}, m[32] = {0}, c[32], tag[16];
    FAILS(polyseal_encryptor_new(&encryptor, "omd-sha256", key, 32, m, 31, NULL, 0),
          POLYSEAL_ERR_UNSUPPORTED);
    EXPECT(encryptor == NULL);
    FAILS(polyseal_encryptor_new(&encryptor, "aegis-128l", key, 32, n, 16, NULL, 0),
          POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_encryptor_new(&encryptor, "aegis-128l", k, 16, n, 15, NULL, 0),
          POLYSEAL_ERR_LENGTH);
    EXPECT(polyseal_encryptor_new(&encryptor, "aegis-128l", k, 16, n, 16, NULL, 0) == 0);
    FAILS(polyseal_encryptor_update(encryptor, c, c + 1, 16), POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_encryptor_update(encryptor, c, NULL, 16), POLYSEAL_ERR_NULL);
    EXPECT(polyseal_encryptor_update(encryptor, NULL, NULL, 0) == 0);
    EXPECT(polyseal_encryptor_update(encryptor, c, m, 32) == 0);
    EXPECT(polyseal_encryptor_final(encryptor, tag, 16) == 0);
    FAILS(polyseal_encryptor_update(encryptor, c, m, 1), POLYSEAL_ERR_FINISHED);
    polyseal_encryptor_free(encryptor);

    FAILS(polyseal_decryptor_new(&decryptor, "aegis-128l", k, 16, n, 16, NULL, 0, (size_t)-1),
          POLYSEAL_ERR_MEMORY);
    EXPECT(polyseal_decryptor_new(&decryptor, "aegis-128l", k, 16, n, 16, NULL, 0, 32) == 0);
    FAILS(polyseal_decryptor_update(decryptor, c, 33), POLYSEAL_ERR_LENGTH);
    EXPECT(polyseal_decryptor_update(decryptor, c, 32) == 0);
    FAILS(polyseal_decryptor_update(decryptor, c, 1), POLYSEAL_ERR_LENGTH);
    EXPECT(polyseal_decryptor_final(decryptor, m, 32, tag, 16) == 0);
    FAILS(polyseal_decryptor_final(decryptor, m, 32, tag, 16), POLYSEAL_ERR_FINISHED);
    polyseal_decryptor_free(decryptor);
    /* One that is given up frees what it has. */
    EXPECT(polyseal_decryptor_new(&decryptor, "aegis-128l", k, 16, n, 16, NULL, 0, 32) == 0);
    EXPECT(polyseal_decryptor_update(decryptor, c, 20) == 0);
    polyseal_decryptor_free(decryptor);
    return 0;
}

static int errors_have_texts(void) {
    int code;
    EXPECT(strcmp(polyseal_strerror(POLYSEAL_OK), "no error") == 0);
    EXPECT(strcmp(polyseal_strerror(12345), "unknown error") == 0);
    for (code = 1; code <= POLYSEAL_ERR_DEFECT; code++) {
        EXPECT(strcmp(polyseal_strerror(code), "unknown error") != 0);
    }
    FAILS(polyseal_aegis128l_decrypt(NULL, k, 3, NULL, 0, n, k), POLYSEAL_ERR_LENGTH);
    EXPECT(strstr(polyseal_last_error_text(), "3 bytes") != NULL);
    return 0;
}

int main(void) {
    EXPECT(polyseal_last_error() == POLYSEAL_OK);
    EXPECT(strcmp(polyseal_last_error_text(), "no error") == 0);
    return one_call() || refused_messages_are_zeros() || prepared_keys() || batches() || pieces() ||
           wide_blocks() || errors_have_texts();
}
