/*
 * Polyseal and libaegis, which nobody here wrote, side by side: the same bytes for every variant, tag
 * and length, and each opens what the other has sealed.
 */

#include <aegis.h>
#include <aegis128l.h>
#include <aegis128x2.h>
#include <aegis128x4.h>
#include <aegis256.h>
#include <aegis256x2.h>
#include <aegis256x4.h>
#include <polyseal.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 2100 };

static unsigned long compared = 0;
static uint8_t k[32], npub[32], ad[LONGEST], m[LONGEST];

/* Bytes that look random and are the same every time. */
static void fill(uint8_t *bytes, size_t length) {
    static uint32_t state = 1;
    size_t i;
    for (i = 0; i < length; i++) {
        state = state * 1664525U + 1013904223U;
        bytes[i] = (uint8_t)(state >> 24);
    }
}

#define PAIR(theirs, ours, tag)                                                                \
    do {                                                                                       \
        uint8_t a[LONGEST + 32], b[LONGEST + 32], opened[LONGEST];                             \
        size_t mlen, adlen;                                                                    \
        for (mlen = 0; mlen <= LONGEST; mlen += 1 + mlen / 9) {                                \
            adlen = (mlen * 7 + 3) % 300;                                                      \
            fill(k, sizeof k);                                                                 \
            fill(npub, sizeof npub);                                                           \
            fill(ad, adlen);                                                                   \
            fill(m, mlen);                                                                     \
            if (theirs##_encrypt(a, tag, m, mlen, ad, adlen, npub, k) != 0 ||                  \
                polyseal_##ours##_encrypt(b, m, mlen, ad, adlen, npub, k) != 0 ||              \
                memcmp(a, b, mlen + tag) != 0) {                                               \
                fprintf(stderr, #ours ": other bytes for %lu bytes\n", (unsigned long)mlen);   \
                return 1;                                                                      \
            }                                                                                  \
            if (polyseal_##ours##_decrypt(opened, a, mlen + tag, ad, adlen, npub, k) != 0 ||   \
                memcmp(opened, m, mlen) != 0 ||                                                \
                theirs##_decrypt(opened, b, mlen + tag, tag, ad, adlen, npub, k) != 0 ||       \
                memcmp(opened, m, mlen) != 0) {                                                \
                fprintf(stderr, #ours ": %lu bytes do not open\n", (unsigned long)mlen);       \
                return 1;                                                                      \
            }                                                                                  \
            b[mlen] ^= 1;                                                                      \
            if (polyseal_##ours##_decrypt(opened, b, mlen + tag, ad, adlen, npub, k) == 0 ||   \
                theirs##_decrypt(opened, b, mlen + tag, tag, ad, adlen, npub, k) == 0) {       \
                fprintf(stderr, #ours ": an altered tag opens\n");                             \
                return 1;                                                                      \
            }                                                                                  \
            compared++;                                                                        \
        }                                                                                      \
    } while (0)

#define MACS(theirs, ours, tag)                                                                \
    do {                                                                                       \
        uint8_t a[32], b[32];                                                                  \
        theirs##_mac_state state;                                                              \
        size_t mlen;                                                                           \
        for (mlen = 0; mlen <= LONGEST; mlen += 1 + mlen / 9) {                                \
            fill(k, sizeof k);                                                                 \
            fill(npub, sizeof npub);                                                           \
            fill(m, mlen);                                                                     \
            theirs##_mac_init(&state, k, npub);                                                \
            if (theirs##_mac_update(&state, m, mlen) != 0 ||                                   \
                theirs##_mac_final(&state, a, tag) != 0 ||                                     \
                polyseal_##ours(b, m, mlen, npub, k) != 0 || memcmp(a, b, tag) != 0) {         \
                fprintf(stderr, #ours ": another tag of %lu bytes\n", (unsigned long)mlen);    \
                return 1;                                                                      \
            }                                                                                  \
            compared++;                                                                        \
        }                                                                                      \
    } while (0)

#define VARIANT(name)                                                                          \
    PAIR(name, name, 16);                                                                      \
    PAIR(name, name##_tag32, 32);                                                              \
    MACS(name, name##_mac, 16);                                                                \
    MACS(name, name##_mac_tag32, 32)

int main(void) {
    if (aegis_init() != 0) return 2;
    VARIANT(aegis128l);
    VARIANT(aegis128x2);
    VARIANT(aegis128x4);
    VARIANT(aegis256);
    VARIANT(aegis256x2);
    VARIANT(aegis256x4);
    printf("%lu messages: the same bytes\n", compared);
    return compared < 1000;
}
