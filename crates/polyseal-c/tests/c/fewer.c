/* The header of a library without files, Flex and OMD: the names of these are free. */

#define POLYSEAL_NO_FILES
#define POLYSEAL_NO_FLEX
#define POLYSEAL_NO_OMD
#include <polyseal.h>

typedef int polyseal_options;
typedef int polyseal_file;
typedef int polyseal_encrypt_file;
typedef int polyseal_rekey_file;
typedef int polyseal_flex_och_encrypt;
typedef int polyseal_flex_och_stream_encrypt;
typedef int polyseal_hazmat_wide_block;
typedef int polyseal_omd_sha256_encrypt;

int main(void) {
    uint8_t k[polyseal_aegis256x2_KEYBYTES];

    return polyseal_aegis256x2_keygen(k) != 0 || polyseal_selftest() != 0;
}
