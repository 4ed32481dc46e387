/* Whole files, parts of them, whom they are for, and why they do not open. */

#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { BYTES = 200000 };
static uint8_t content[BYTES], read_back[BYTES + 1];
static const uint8_t key[32] = {9, 8, 7, 6, 5, 4, 3, 2, 1}, other[32] = {1, 8, 7, 6, 5, 4, 3, 2, 1};

static size_t load(const char *name, uint8_t *bytes, size_t room) {
    FILE *file = fopen(name, "rb");
    size_t length = 0;
    if (file != NULL) {
        length = fread(bytes, 1, room, file);
        fclose(file);
    }
    return length;
}

static int store(const char *name, const uint8_t *bytes, size_t length) {
    FILE *file = fopen(name, "wb");
    int done = file != NULL && fwrite(bytes, 1, length, file) == length;
    return file != NULL && fclose(file) == 0 && done;
}

static int exists(const char *name) {
    FILE *file = fopen(name, "rb");
    return file != NULL && fclose(file) == 0;
}

static int whole_files(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    static uint8_t sealed[2 * BYTES];
    size_t length;
    FAILS(polyseal_encrypt_file("plain", "sealed", NULL), POLYSEAL_ERR_NULL);
    FAILS(polyseal_encrypt_file("plain", "sealed", &options), POLYSEAL_ERR_RECIPIENTS);
    options.key = key;
    options.size--;
    FAILS(polyseal_encrypt_file("plain", "sealed", &options), POLYSEAL_ERR_OPTIONS);
    options.size++;
    FAILS(polyseal_encrypt_file("absent", "sealed", &options), POLYSEAL_ERR_IO);
    EXPECT(strstr(polyseal_last_error_text(), "No such file") != NULL);
    FAILS(polyseal_encrypt_file(".", "sealed", &options), POLYSEAL_ERR_IO);
    FAILS(polyseal_encrypt_file(NULL, "sealed", &options), POLYSEAL_ERR_NULL);
    FAILS(polyseal_encrypt_file("plain", "absent/sealed", &options), POLYSEAL_ERR_IO);
    options.suite = "aes-257-gcm";
    FAILS(polyseal_encrypt_file("plain", "sealed", &options), POLYSEAL_ERR_SUITE);
    options.suite = "aes-256-gcm";
    options.segment_bytes = 5000;
    FAILS(polyseal_encrypt_file("plain", "sealed", &options), POLYSEAL_ERR_SUITE);
    options.segment_bytes = 4096;
    EXPECT(!exists("sealed"));
    EXPECT(polyseal_encrypt_file("plain", "sealed", &options) == 0);
    FAILS(polyseal_encrypt_file("plain", "sealed", &options), POLYSEAL_ERR_EXISTS);
    length = load("sealed", sealed, sizeof sealed);
    EXPECT(length > BYTES);
    EXPECT(polyseal_verify_file("sealed", &options) == 0);
    EXPECT(polyseal_decrypt_file("sealed", "opened", &options) == 0);
    EXPECT(load("opened", read_back, sizeof read_back) == BYTES);
    EXPECT(memcmp(read_back, content, BYTES) == 0);

    /* Nothing is replaced unless it is asked for, and nothing by a file that is not authentic. */
    FAILS(polyseal_decrypt_file("sealed", "opened", &options), POLYSEAL_ERR_EXISTS);
    options.overwrite = 1;
    EXPECT(polyseal_decrypt_file("sealed", "opened", &options) == 0);
    sealed[length - 1] ^= 1;
    EXPECT(store("altered", sealed, length));
    FAILS(polyseal_decrypt_file("altered", "opened", &options), POLYSEAL_ERR_CORRUPT);
    EXPECT(load("opened", read_back, sizeof read_back) == BYTES);
    EXPECT(memcmp(read_back, content, BYTES) == 0);
    FAILS(polyseal_decrypt_file("altered", "new", &options), POLYSEAL_ERR_CORRUPT);
    EXPECT(!exists("new"));
    EXPECT(store("short", sealed, length - 4096 - 16));
    FAILS(polyseal_verify_file("short", &options), POLYSEAL_ERR_CORRUPT);
    FAILS(polyseal_verify_file("plain", &options), POLYSEAL_ERR_NOT_ENCRYPTED);
    options.key = other;
    FAILS(polyseal_verify_file("sealed", &options), POLYSEAL_ERR_NO_MATCHING_KEY);
    return 0;
}

static int contexts_and_passphrases(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    options.key = key;
    options.context = (const uint8_t *)"invoices";
    options.context_bytes = 8;
    EXPECT(polyseal_encrypt_file("plain", "bound", &options) == 0);
    EXPECT(polyseal_verify_file("bound", &options) == 0);
    options.context_bytes = 7;
    FAILS(polyseal_verify_file("bound", &options), POLYSEAL_ERR_CONTEXT);
    options.context_bytes = 0;
    options.context = NULL;
    FAILS(polyseal_verify_file("bound", &options), POLYSEAL_ERR_CONTEXT);

    options.passphrase = (const uint8_t *)"correct horse";
    options.passphrase_bytes = 13;
    FAILS(polyseal_encrypt_file("plain", "worded", &options), POLYSEAL_ERR_RECIPIENTS);
    options.key = NULL;
    EXPECT(polyseal_encrypt_file("plain", "worded", &options) == 0);
    EXPECT(polyseal_verify_file("worded", &options) == 0);
    options.passphrase_bytes = 12;
    FAILS(polyseal_verify_file("worded", &options), POLYSEAL_ERR_PASSPHRASE);
    return 0;
}

static int keys_of_age_and_key_files(void) {
    /* A pair of keys of age, made for this test. */
    static const char identity[] =
        "# created for a test\n"
        "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n";
    static const char recipient[] =
        "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj\n";
    static const char line[] =
        "# a key\n"
        "polyseal-key-1-0908070605040302010000000000000000000000000000000000000000000000\n";
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    options.age_recipients = recipient;
    EXPECT(polyseal_encrypt_file("plain", "aged", &options) == 0);
    FAILS(polyseal_verify_file("aged", &options), POLYSEAL_ERR_NO_MATCHING_KEY);
    options.age_identities = identity;
    EXPECT(polyseal_verify_file("aged", &options) == 0);
    options.age_identities = recipient;
    FAILS(polyseal_verify_file("aged", &options), POLYSEAL_ERR_KEY_FILE);
    options.age_recipients = identity;
    FAILS(polyseal_encrypt_file("plain", "aged2", &options), POLYSEAL_ERR_KEY_FILE);
    EXPECT(strstr(polyseal_last_error_text(), "GFPYY") == NULL);

    options.age_recipients = options.age_identities = NULL;
    EXPECT(store("key", (const uint8_t *)line, sizeof line - 1));
    options.key_file = "key";
    EXPECT(polyseal_verify_file("sealed", &options) == 0);
    options.key_file = "plain";
    FAILS(polyseal_verify_file("sealed", &options), POLYSEAL_ERR_KEY_FILE);
    options.key_file = "absent";
    FAILS(polyseal_verify_file("sealed", &options), POLYSEAL_ERR_IO);
    return 0;
}

/* A source in memory that can be told to misbehave. */
typedef struct {
    const uint8_t *bytes;
    uint64_t size;
    int behaviour;
    int calls;
} memory;

static int64_t read_memory(void *ctx, uint8_t *buf, size_t len, uint64_t offset) {
    memory *m = (memory *)ctx;
    m->calls++;
    if (m->behaviour == 1) return -1;
    if (m->behaviour == 2) return (int64_t)len + 1;
    if (m->behaviour == 3) return 0;
    if (offset >= m->size) return 0;
    if (len > m->size - offset) len = (size_t)(m->size - offset);
    if (m->behaviour == 4 && len > 1000) len = 1000;
    memcpy(buf, m->bytes + offset, len);
    return (int64_t)len;
}

static int parts(void) {
    static uint8_t sealed[2 * BYTES];
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    polyseal_source source;
    polyseal_file *file;
    memory m = {sealed, 0, 0, 0};
    size_t length = load("sealed", sealed, sizeof sealed);
    uint64_t offset;
    m.size = length;
    source.ctx = &m;
    source.read_at = read_memory;
    source.size = length;
    options.key = key;
    FAILS(polyseal_file_open_source(&file, NULL, &options), POLYSEAL_ERR_NULL);
    EXPECT(file == NULL);
    for (m.behaviour = 4; m.behaviour >= 0; m.behaviour--) {
        int works = m.behaviour == 0 || m.behaviour == 4;
        EXPECT(polyseal_file_open_source(&file, &source, &options) == (works ? 0 : -1));
        if (!works) continue;
        EXPECT(polyseal_file_size(file) == BYTES);
        for (offset = 0; offset < BYTES; offset += 7001) {
            int64_t read = polyseal_file_read_at(file, read_back, 9000, offset);
            EXPECT(read == (int64_t)(BYTES - offset < 9000 ? BYTES - offset : 9000));
            EXPECT(memcmp(read_back, content + offset, (size_t)read) == 0);
        }
        EXPECT(polyseal_file_read_at(file, read_back, 10, BYTES) == 0);
        EXPECT(polyseal_file_read_at(file, NULL, 0, 0) == 0);
        FAILS(polyseal_file_read_at(file, NULL, 1, 0), POLYSEAL_ERR_NULL);
        FAILS(polyseal_file_read_at(NULL, read_back, 1, 0), POLYSEAL_ERR_NULL);
        if (m.behaviour == 0) {
            /* From here on it fails, or gives what nobody wrote. */
            m.behaviour = 1;
            FAILS(polyseal_file_read_at(file, read_back, 5000, 0), POLYSEAL_ERR_IO);
            m.behaviour = 2;
            FAILS(polyseal_file_read_at(file, read_back, 5000, 0), POLYSEAL_ERR_IO);
            m.behaviour = 3;
            FAILS(polyseal_file_read_at(file, read_back, 5000, 0), POLYSEAL_ERR_CHANGED);
            m.behaviour = 0;
            sealed[4096 + 100] ^= 1;
            memset(read_back, 3, 5000);
            FAILS(polyseal_file_read_at(file, read_back, 5000, 0), POLYSEAL_ERR_CORRUPT);
            EXPECT(read_back[0] == 0 && read_back[4999] == 0);
            sealed[4096 + 100] ^= 1;
            EXPECT(polyseal_file_read_at(file, read_back, 5000, 0) == 5000);
        }
        polyseal_file_close(file);
    }
    source.read_at = NULL;
    FAILS(polyseal_file_open_source(&file, &source, &options), POLYSEAL_ERR_NULL);
    polyseal_file_close(NULL);
    EXPECT(polyseal_file_size(NULL) == 0);
    return 0;
}

int main(void) {
    size_t i;
    for (i = 0; i < BYTES; i++) content[i] = (uint8_t)(i / 3);
    EXPECT(store("plain", content, BYTES));
    return whole_files() || contexts_and_passphrases() || keys_of_age_and_key_files() || parts();
}
