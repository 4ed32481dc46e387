/* Many messages under one key: an algorithm by its name, and nonces that the library draws. */

#include <polyseal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "aegis-256x2";
    static const char *const messages[] = {"one", "another", "a third"};
    polyseal_algorithm algorithm;
    polyseal_aead *aead = NULL;
    uint8_t k[64];
    size_t i, clen;
    int failed = 1;

    if (polyseal_algorithm_get(&algorithm, name) != 0 || algorithm.keybytes > sizeof k ||
        polyseal_random(k, algorithm.keybytes) != 0 ||
        polyseal_aead_new(&aead, name, k, algorithm.keybytes) != 0) {
        fprintf(stderr, "%s: %s\n", name, polyseal_last_error_text());
        return 1;
    }
    polyseal_memzero(k, sizeof k);
    for (i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        const uint8_t *m = (const uint8_t *)messages[i];
        size_t mlen = strlen(messages[i]);
        uint8_t *c, opened[16];
        if (polyseal_aead_randombytes(aead, mlen, &clen) != 0) goto done;
        c = (uint8_t *)malloc(clen);
        if (c == NULL) goto done;
        failed = polyseal_aead_seal_random(aead, c, clen, m, mlen, NULL, 0) != 0 ||
                 polyseal_aead_open_random(aead, opened, mlen, c, clen, NULL, 0) != 0;
        free(c);
        if (failed) goto done;
        printf("%lu bytes sealed: %.*s\n", (unsigned long)clen, (int)mlen, (const char *)opened);
    }
done:
    if (failed) fprintf(stderr, "%s\n", polyseal_last_error_text());
    polyseal_aead_free(aead);
    return failed;
}
