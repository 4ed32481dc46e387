/* An encrypted file that is no file: here it is in memory; it could be an object in a store. */

#include <polyseal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    uint8_t bytes[65536];
    size_t length;
    unsigned long fetched;
} object;

/* Reads a range of bytes, as from a store. */
static int64_t fetch(void *ctx, uint8_t *buf, size_t len, uint64_t offset) {
    object *o = (object *)ctx;
    if (offset >= o->length) return 0;
    if (len > o->length - offset) len = o->length - (size_t)offset;
    memcpy(buf, o->bytes + offset, len);
    o->fetched += (unsigned long)len;
    return (int64_t)len;
}

int main(void) {
    static object stored;
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    polyseal_source source;
    polyseal_file *file = NULL;
    uint8_t key[POLYSEAL_FILE_KEYBYTES], line[16];
    FILE *plain = fopen("lines.txt", "wb"), *sealed;
    int i, failed = 1;

    if (plain == NULL) return 1;
    for (i = 0; i < 2000; i++) fprintf(plain, "a record: %5d\n", i);
    fclose(plain);

    options.key = key;
    options.segment_bytes = 4096;
    options.overwrite = 1;
    if (polyseal_random(key, sizeof key) != 0 ||
        polyseal_encrypt_file("lines.txt", "lines.polyseal", &options) != 0) {
        goto done;
    }
    sealed = fopen("lines.polyseal", "rb");
    if (sealed == NULL) goto done;
    stored.length = fread(stored.bytes, 1, sizeof stored.bytes, sealed);
    fclose(sealed);

    source.ctx = &stored;
    source.read_at = fetch;
    source.size = stored.length;
    if (polyseal_file_open_source(&file, &source, &options) != 0) goto done;
    stored.fetched = 0;
    if (polyseal_file_read_at(file, line, sizeof line, 1234 * 16) != (int64_t)sizeof line) {
        goto done;
    }
    printf("%.15s, for which %lu of %lu bytes were fetched\n", (const char *)line, stored.fetched,
           (unsigned long)stored.length);
    failed = 0;
done:
    if (failed) fprintf(stderr, "%s\n", polyseal_last_error_text());
    polyseal_file_close(file);
    remove("lines.txt");
    remove("lines.polyseal");
    return failed;
}
