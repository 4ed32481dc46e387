#define CRYPTO_KEYBYTES 64
#define CRYPTO_NSECBYTES 0
#define CRYPTO_NPUBBYTES 32
#define CRYPTO_ABYTES 64
#define CRYPTO_NOOVERLAP 1
#define POLYSEAL(function) polyseal_omd_blake2b_##function
