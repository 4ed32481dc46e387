/* The functions of every variant in one table, so that Rust declares one symbol a build and not
 * thirty. The order is that of `VARIANTS` in src/peers/libaegis.rs. */
#include "aegis.h"

/* Room for every MAC state; the Rust side reserves as much. */
#define MAC_STATE_BYTES 2048

typedef struct {
    int (*encrypt_detached)(uint8_t *c, uint8_t *mac, size_t maclen, const uint8_t *m, size_t mlen,
                            const uint8_t *ad, size_t adlen, const uint8_t *npub, const uint8_t *k);
    int (*decrypt_detached)(uint8_t *m, const uint8_t *c, size_t clen, const uint8_t *mac,
                            size_t maclen, const uint8_t *ad, size_t adlen, const uint8_t *npub,
                            const uint8_t *k);
    void (*mac_init)(void *state, const uint8_t *k, const uint8_t *npub);
    int (*mac_update)(void *state, const uint8_t *m, size_t mlen);
    int (*mac_final)(void *state, uint8_t *mac, size_t maclen);
} variant;

#define VARIANT(name)                                                                  \
    {                                                                                  \
        name##_encrypt_detached, name##_decrypt_detached, name##_mac_init_,            \
            name##_mac_update_, name##_mac_final_                                      \
    }

/* The MAC's functions differ only in the type of the state. */
#define MAC(name)                                                                      \
    _Static_assert(sizeof(name##_mac_state) <= MAC_STATE_BYTES, "room for the state"); \
    static void name##_mac_init_(void *state, const uint8_t *k, const uint8_t *npub)   \
    {                                                                                  \
        name##_mac_init(state, k, npub);                                               \
    }                                                                                  \
    static int name##_mac_update_(void *state, const uint8_t *m, size_t mlen)          \
    {                                                                                  \
        return name##_mac_update(state, m, mlen);                                      \
    }                                                                                  \
    static int name##_mac_final_(void *state, uint8_t *mac, size_t maclen)             \
    {                                                                                  \
        return name##_mac_final(state, mac, maclen);                                   \
    }

MAC(aegis128l)
MAC(aegis128x2)
MAC(aegis128x4)
MAC(aegis256)
MAC(aegis256x2)
MAC(aegis256x4)

const variant libaegis_variants[6] = {
    VARIANT(aegis128l), VARIANT(aegis128x2), VARIANT(aegis128x4),
    VARIANT(aegis256),  VARIANT(aegis256x2), VARIANT(aegis256x4),
};

int libaegis_start(void)
{
    return aegis_init();
}
