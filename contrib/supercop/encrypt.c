/*
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 *
 * crypto_aead of SUPERCOP by the C library of Polyseal. One file for every primitive: its api.h
 * says which functions of the library POLYSEAL names.
 */

#include <stddef.h>
#include <stdint.h>

#include "crypto_aead.h"

/* As in polyseal.h. */
int POLYSEAL(encrypt)(uint8_t *c, const uint8_t *m, size_t mlen, const uint8_t *ad, size_t adlen,
                      const uint8_t *npub, const uint8_t *k);
int POLYSEAL(decrypt)(uint8_t *m, const uint8_t *c, size_t clen, const uint8_t *ad, size_t adlen,
                      const uint8_t *npub, const uint8_t *k);

/* The library has lengths of size_t. Longer messages than its limit it refuses itself. */
static int fits(unsigned long long len) {
    return len <= SIZE_MAX - crypto_aead_ABYTES;
}

int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k) {
    (void)nsec;
    if (!fits(mlen) || !fits(adlen)) return -1;
    if (POLYSEAL(encrypt)(c, m, (size_t)mlen, ad, (size_t)adlen, npub, k) != 0) return -1;
    *clen = mlen + crypto_aead_ABYTES;
    return 0;
}

/* An unauthentic message leaves zeros in m. */
int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                        const unsigned char *c, unsigned long long clen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *npub,
                        const unsigned char *k) {
    (void)nsec;
    if (!fits(clen) || !fits(adlen)) return -1;
    if (POLYSEAL(decrypt)(m, c, (size_t)clen, ad, (size_t)adlen, npub, k) != 0) return -1;
    *mlen = clen - crypto_aead_ABYTES;
    return 0;
}
