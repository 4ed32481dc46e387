/* A sector that keeps its length. Nothing authenticates it: that is somebody else's task. */

#include <polyseal.h>
#include <stdio.h>

int main(void) {
    const char *name = "wide-block-length-preserving-no-authenticity";
    const uint8_t setup[] = "disk 1", number[8] = {42};
    uint8_t k[32], sector[512] = {'d', 'a', 't', 'a'};
    polyseal_hazmat_wide_block *cipher = NULL;
    int failed;

    if (polyseal_random(k, sizeof k) != 0 ||
        polyseal_hazmat_wide_block_new(&cipher, name, k, sizeof k, setup, sizeof setup - 1) != 0) {
        fprintf(stderr, "%s\n", polyseal_last_error_text());
        return 1;
    }
    polyseal_memzero(k, sizeof k);
    failed = polyseal_hazmat_wide_block_encipher(cipher, sector, sizeof sector, sector,
                                                 sizeof sector, number, sizeof number, NULL,
                                                 0) != 0 ||
             polyseal_hazmat_wide_block_decipher(cipher, sector, sizeof sector, sector,
                                                 sizeof sector, number, sizeof number, NULL,
                                                 0) != 0;
    if (failed) {
        fprintf(stderr, "%s\n", polyseal_last_error_text());
    } else {
        printf("%lu bytes: %.4s\n", (unsigned long)sizeof sector, (const char *)sector);
    }
    polyseal_hazmat_wide_block_free(cipher);
    return failed;
}
