#define CRYPTO_KEYBYTES 32
#define CRYPTO_NSECBYTES 0
#define CRYPTO_NPUBBYTES 24
#define CRYPTO_ABYTES 32
#define CRYPTO_NOOVERLAP 1
#define POLYSEAL(function) polyseal_flex_robust_ae_##function
