/* One message: a key, a nonce, one call to seal and one to open. */

#include <polyseal.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    static const uint8_t m[] = "attack at dawn", ad[] = "from: Alice";
    uint8_t k[polyseal_kc_xaes256gcm_KEYBYTES];
    uint8_t npub[polyseal_kc_xaes256gcm_NPUBBYTES];
    uint8_t c[sizeof m + polyseal_kc_xaes256gcm_ABYTES], opened[sizeof m];

    if (polyseal_kc_xaes256gcm_keygen(k) != 0 || polyseal_random(npub, sizeof npub) != 0 ||
        polyseal_kc_xaes256gcm_encrypt(c, m, sizeof m, ad, sizeof ad, npub, k) != 0 ||
        polyseal_kc_xaes256gcm_decrypt(opened, c, sizeof c, ad, sizeof ad, npub, k) != 0) {
        fprintf(stderr, "%s\n", polyseal_last_error_text());
        return 1;
    }
    printf("%s\n", (const char *)opened);

    c[0] ^= 1;
    if (polyseal_kc_xaes256gcm_decrypt(opened, c, sizeof c, ad, sizeof ad, npub, k) == 0) {
        return 1;
    }
    printf("altered: %s\n", polyseal_last_error_text());
    polyseal_memzero(k, sizeof k);
    return 0;
}
