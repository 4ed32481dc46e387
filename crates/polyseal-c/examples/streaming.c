/* A message in pieces, as it comes from a socket; opened in others. */

#include <polyseal.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    static const char *const pieces[] = {"It was ", "a dark and ", "stormy night."};
    uint8_t k[polyseal_aegis256_KEYBYTES], npub[polyseal_aegis256_NPUBBYTES];
    uint8_t c[64], m[64], mac[polyseal_aegis256_ABYTES];
    polyseal_encryptor *encryptor = NULL;
    polyseal_decryptor *decryptor = NULL;
    size_t i, length = 0;
    int failed = 1;

    if (polyseal_aegis256_keygen(k) != 0 || polyseal_random(npub, sizeof npub) != 0 ||
        polyseal_encryptor_new(&encryptor, "aegis-256", k, sizeof k, npub, sizeof npub, NULL, 0)) {
        goto done;
    }
    for (i = 0; i < 3; i++) {
        size_t bytes = strlen(pieces[i]);
        if (polyseal_encryptor_update(encryptor, c + length, (const uint8_t *)pieces[i], bytes)) {
            goto done;
        }
        length += bytes;
    }
    if (polyseal_encryptor_final(encryptor, mac, sizeof mac) != 0) goto done;

    /* Nothing of the message is there before all of it is authentic. */
    if (polyseal_decryptor_new(&decryptor, "aegis-256", k, sizeof k, npub, sizeof npub, NULL, 0,
                               sizeof m) != 0 ||
        polyseal_decryptor_update(decryptor, c, 5) != 0 ||
        polyseal_decryptor_update(decryptor, c + 5, length - 5) != 0 ||
        polyseal_decryptor_final(decryptor, m, length, mac, sizeof mac) != 0) {
        goto done;
    }
    printf("%.*s\n", (int)length, (const char *)m);
    failed = 0;
done:
    if (failed) fprintf(stderr, "%s\n", polyseal_last_error_text());
    polyseal_encryptor_free(encryptor);
    polyseal_decryptor_free(decryptor);
    return failed;
}
