/* A file: encrypted, verified, and a part of it read. */

#include <polyseal.h>
#include <stdio.h>

int main(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    uint8_t key[POLYSEAL_FILE_KEYBYTES];
    uint8_t part[6];
    polyseal_file *file = NULL;
    FILE *plain = fopen("example.txt", "wb");
    int failed = 1;

    if (plain == NULL || fputs("All happy families are alike.", plain) < 0) return 1;
    fclose(plain);

    if (polyseal_random(key, sizeof key) != 0) goto done;
    options.key = key;
    options.overwrite = 1;
    if (polyseal_encrypt_file("example.txt", "example.polyseal", &options) != 0 ||
        polyseal_verify_file("example.polyseal", &options) != 0 ||
        polyseal_file_open(&file, "example.polyseal", &options) != 0 ||
        polyseal_file_read_at(file, part, sizeof part, 4) != (int64_t)sizeof part) {
        goto done;
    }
    printf("of %lu bytes: %.6s\n", (unsigned long)polyseal_file_size(file), (const char *)part);
    failed = 0;
done:
    if (failed) fprintf(stderr, "%s\n", polyseal_last_error_text());
    polyseal_file_close(file);
    polyseal_memzero(key, sizeof key);
    remove("example.txt");
    remove("example.polyseal");
    return failed;
}
