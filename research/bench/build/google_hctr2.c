/* HCTR2's functions under names that can be linked, and what its own benchmark would bring. */
#include "hctr2.c"

_Static_assert(sizeof(struct hctr2_ctx) <= 1024, "room for a key");

struct cipherbench_params g_params;
u64 cpu_frequency_kHz;

void assertion_failed(const char *expr, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, expr);
    abort();
}

void show_result(const char *algname, const char *op, const char *impl, u64 nbytes,
                 u64 ns_elapsed)
{
}

/* AES-256, by the CPU's instructions. */
void polyseal_bench_hctr2_setkey(struct hctr2_ctx *ctx, const u8 *key)
{
    hctr2_setkey(ctx, key, AES_KEYSIZE_256, true);
}

void polyseal_bench_hctr2_tweak_bytes(struct hctr2_ctx *ctx, size_t bytes)
{
    hctr2_change_tweak_len(ctx, bytes, true);
    ctx->default_tweak_len = bytes;
}

void polyseal_bench_hctr2(const struct hctr2_ctx *ctx, u8 *dst, const u8 *src, size_t nbytes,
                          const u8 *tweak, size_t tweak_bytes, int encrypt)
{
    hctr2_crypt(ctx, dst, src, nbytes, tweak, tweak_bytes, encrypt, true);
}
