/* The library's AES-GCM as a table of functions, and the sizes that the Rust side reserves. */
#include <intel-ipsec-mb.h>

#if IMB_VERSION_NUM < 0x10000
#error "version 1 is wanted"
#endif

_Static_assert(sizeof(struct gcm_key_data) <= 4096, "room for a key");
_Static_assert(sizeof(struct gcm_context_data) <= 256, "room for a context");

typedef struct {
    aes_gcm_pre_t pre;
    aes_gcm_enc_dec_t enc, dec;
} gcm;

/* The functions for this CPU: of AES-128, then of AES-256. Gives the version, or null. */
const char *polyseal_bench_ipsec_mb(gcm table[2])
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager == NULL)
        return NULL;
    init_mb_mgr_auto(manager, NULL);
    table[0] = (gcm){manager->gcm128_pre, manager->gcm128_enc, manager->gcm128_dec};
    table[1] = (gcm){manager->gcm256_pre, manager->gcm256_enc, manager->gcm256_dec};
    free_mb_mgr(manager);
    return imb_get_version_str();
}
