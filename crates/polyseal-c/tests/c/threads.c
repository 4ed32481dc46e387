/* One key and one file, used by several threads at once; and errors that are each thread's own. */

#include <polyseal.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 300, FILE_BYTES = 1000003 };

static polyseal_aead *aead;
static polyseal_file *file;
static uint8_t content[FILE_BYTES];

static void *work(void *argument) {
    unsigned seed = (unsigned)(size_t)argument;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        static const uint8_t ad[3] = {1, 2, 3};
        uint8_t m[777], c[777 + 16], npub[16];
        uint8_t part[4096];
        uint64_t offset;
        int64_t read;
        size_t i;
        for (i = 0; i < sizeof m; i++) m[i] = (uint8_t)(seed + i);
        memset(npub, 0, sizeof npub);
        npub[0] = (uint8_t)seed;
        npub[1] = (uint8_t)round;
        npub[2] = (uint8_t)(round >> 8);
        if (polyseal_aead_seal(aead, c, sizeof c, m, sizeof m, ad, 3, npub, 16) != 0) return NULL;
        if (polyseal_aead_open(aead, c, sizeof m, c, sizeof c, ad, 3, npub, 16) != 0) return NULL;
        if (memcmp(m, c, sizeof m) != 0) return NULL;

        seed = seed * 1103515245U + 12345U;
        offset = seed % FILE_BYTES;
        read = polyseal_file_read_at(file, part, sizeof part, offset);
        if (read < 0 || memcmp(part, content + offset, (size_t)read) != 0) return NULL;
        if (read != (int64_t)sizeof part && offset + (uint64_t)read != FILE_BYTES) return NULL;

        if (round == 0 && polyseal_last_error() != POLYSEAL_OK) return NULL;
    }
    return argument;
}

int main(void) {
    static const uint8_t key[32] = {7, 3, 1, 4, 1, 5, 9, 2, 6};
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    pthread_t threads[THREADS];
    FILE *plain;
    size_t i;
    int good = 1;
    for (i = 0; i < FILE_BYTES; i++) content[i] = (uint8_t)(i * i / 251);
    plain = fopen("plain", "wb");
    if (plain == NULL || fwrite(content, 1, FILE_BYTES, plain) != FILE_BYTES) return 2;
    fclose(plain);
    options.key = key;
    if (polyseal_encrypt_file("plain", "sealed", &options) != 0 ||
        polyseal_file_open(&file, "sealed", &options) != 0 ||
        polyseal_aead_new(&aead, "aegis-128x2", key, 16) != 0) {
        fprintf(stderr, "%s\n", polyseal_last_error_text());
        return 1;
    }
    /* An error of this thread is none of theirs. */
    if (polyseal_random(NULL, 1) != -1 || polyseal_last_error() != POLYSEAL_ERR_NULL) return 1;
    for (i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *)(i + 1)) != 0) return 2;
    }
    for (i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        good = good && result != NULL;
    }
    if (polyseal_last_error() != POLYSEAL_ERR_NULL) good = 0;
    polyseal_file_close(file);
    polyseal_aead_free(aead);
    return good ? 0 : 1;
}
