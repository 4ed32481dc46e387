/* Other recipients for a file, what a file says without a key, and armour. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "expect.h"

enum { BYTES = 200000, ROOM = 2 * BYTES };
static uint8_t content[BYTES], before[ROOM], after[ROOM];
static const uint8_t key[32] = {9, 8, 7}, other[32] = {1, 8, 7}, third[32] = {4, 4, 7};
static const char recipient[] = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj\n";

static size_t load(const char *name, uint8_t *bytes) {
    FILE *file = fopen(name, "rb");
    size_t length = 0;
    if (file != NULL) {
        length = fread(bytes, 1, ROOM, file);
        fclose(file);
    }
    return length;
}

static int store(const char *name, const uint8_t *bytes, size_t length) {
    FILE *file = fopen(name, "wb");
    int done = file != NULL && fwrite(bytes, 1, length, file) == length;
    return file != NULL && fclose(file) == 0 && done;
}

/* Whether the key opens the file, and it has the content. */
static int opens(const char *name, const uint8_t *k) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    options.key = k;
    options.overwrite = 1;
    return polyseal_decrypt_file(name, "opened", &options) == 0 && load("opened", after) == BYTES &&
           memcmp(after, content, BYTES) == 0;
}

static int new_recipients(void) {
    polyseal_options mine = POLYSEAL_OPTIONS_INIT, theirs = POLYSEAL_OPTIONS_INIT;
    size_t length, again;
    mine.key = key;
    theirs.key = other;
    mine.segment_bytes = 4096;
    EXPECT(polyseal_encrypt_file("plain", "sealed", &mine) == 0);
    length = load("sealed", before);

    /* Instead of those before, and beside them; the payload is the same. */
    EXPECT(polyseal_rekey_file("sealed", "instead", &mine, &theirs, 0) == 0);
    EXPECT(!opens("instead", key) && opens("instead", other) && opens("sealed", key));
    again = load("instead", after);
    EXPECT(again == length && memcmp(before + 4096, after + 4096, length - 4096) == 0);
    EXPECT(polyseal_rekey_file("sealed", "beside", &mine, &theirs, POLYSEAL_REKEY_KEEP) == 0);
    EXPECT(opens("beside", key) && opens("beside", other) && !opens("beside", third));

    /* Encrypted anew: nothing of the payload is what it was, suite and segments are. */
    EXPECT(polyseal_rekey_file("sealed", "anew", &mine, &theirs, POLYSEAL_REKEY_NEW_KEY) == 0);
    EXPECT(!opens("anew", key) && opens("anew", other));
    again = load("anew", after);
    EXPECT(again == length && memcmp(before + 4096, after + 4096, 64) != 0);
    EXPECT(after[4096 + 4096] != before[4096 + 4096] || after[9000] != before[9000]);

    /* In place of the file itself, if that is allowed. */
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 0), POLYSEAL_ERR_EXISTS);
    mine.overwrite = 1;
    EXPECT(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 0) == 0);
    EXPECT(!opens("sealed", key) && opens("sealed", other));

    /* A refused call changes nothing. */
    again = load("sealed", before);
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 0), POLYSEAL_ERR_NO_MATCHING_KEY);
    mine.key = other;
    theirs.key = NULL;
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 0), POLYSEAL_ERR_RECIPIENTS);
    theirs.key = third;
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 3), POLYSEAL_ERR_OPTIONS);
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 4), POLYSEAL_ERR_OPTIONS);
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, NULL, 0), POLYSEAL_ERR_NULL);
    FAILS(polyseal_rekey_file("plain", "new", &mine, &theirs, 0), POLYSEAL_ERR_NOT_ENCRYPTED);
    mine.context = (const uint8_t *)"shop";
    mine.context_bytes = 4;
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 0), POLYSEAL_ERR_CONTEXT);
    EXPECT(load("sealed", after) == again && memcmp(before, after, again) == 0);
    EXPECT(access("new", F_OK) != 0);
    return 0;
}

static int one_rekey_at_a_time(void) {
    polyseal_options mine = POLYSEAL_OPTIONS_INIT, theirs = POLYSEAL_OPTIONS_INIT;
    FILE *file = fopen("sealed", "rb");
    mine.key = other;
    mine.overwrite = 1;
    theirs.key = third;
    EXPECT(file != NULL && flock(fileno(file), LOCK_EX) == 0);
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 0), POLYSEAL_ERR_CHANGED);
    EXPECT(polyseal_rekey_file("sealed", "elsewhere", &mine, &theirs, 0) == 0);
    fclose(file);
    /* As the tool leaves it when it is interrupted. */
    EXPECT(store("sealed.header-backup", before, 8192));
    FAILS(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 0), POLYSEAL_ERR_EXISTS);
    EXPECT(strstr(polyseal_last_error_text(), "--restore") != NULL);
    EXPECT(remove("sealed.header-backup") == 0 && opens("sealed", other));
    EXPECT(polyseal_rekey_file("sealed", "sealed", &mine, &theirs, 0) == 0);
    EXPECT(opens("sealed", third));
    return 0;
}

static int a_header_in_memory(void) {
    polyseal_options mine = POLYSEAL_OPTIONS_INIT, theirs = POLYSEAL_OPTIONS_INIT;
    uint8_t header[4096];
    size_t length = load("sealed", before);
    mine.key = third;
    theirs.key = key;
    FAILS(polyseal_rekey_header(header, before, 4097, &mine, &theirs, 0), POLYSEAL_ERR_LENGTH);
    FAILS(polyseal_rekey_header(header, before, 4095, &mine, &theirs, 0), POLYSEAL_ERR_TRUNCATED);
    FAILS(polyseal_rekey_header(header, before, 4096, &mine, &theirs, 2), POLYSEAL_ERR_OPTIONS);
    FAILS(polyseal_rekey_header(before + 1, before, 4096, &mine, &theirs, 0), POLYSEAL_ERR_OVERLAP);
    FAILS(polyseal_rekey_header(NULL, before, 4096, &mine, &theirs, 0), POLYSEAL_ERR_NULL);
    EXPECT(polyseal_rekey_header(header, before, 4096, &mine, &theirs, POLYSEAL_REKEY_KEEP) == 0);
    EXPECT(polyseal_rekey_header(before, before, 4096, &mine, &theirs, 0) == 0);
    EXPECT(store("replaced", before, length) && opens("replaced", key) && !opens("replaced", third));
    memcpy(before, header, sizeof header);
    EXPECT(store("kept", before, length) && opens("kept", key) && opens("kept", third));
    before[4095] ^= 1;
    FAILS(polyseal_rekey_header(before, before, 4096, &mine, &theirs, 0), POLYSEAL_ERR_HEADER);
    return 0;
}

static int what_a_file_says(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    polyseal_inspection said;
    size_t length;
    options.key = key;
    options.age_recipients = recipient;
    options.suite = "aegis-128x2";
    options.segment_bytes = 8192;
    options.context = (const uint8_t *)"shop";
    options.context_bytes = 4;
    EXPECT(polyseal_encrypt_file("plain", "says", &options) == 0);
    EXPECT(polyseal_inspect_file(&said, "says") == 0);
    EXPECT(said.format == POLYSEAL_FORMAT_POLYSEAL && said.version == 1 && said.armored == 0);
    EXPECT(said.context == 1 && strcmp(said.suite, "aegis-128x2") == 0);
    EXPECT(said.segment_bytes == 8192 && said.abytes == 16 && said.header_bytes == 4096);
    EXPECT(said.keys == 1 && said.passphrases == 0 && said.age_recipients == 1 && said.others == 0);
    EXPECT(strcmp(said.age_kinds, "X25519") == 0 && said.spare_bytes > 1000);
    EXPECT(said.plaintext_bytes == BYTES && said.complete == 1);
    EXPECT(said.payload_bytes == BYTES + 25 * 16);

    /* Its beginning says the same, with and without its length. */
    length = load("says", before);
    EXPECT(polyseal_inspect(&said, before, 4096, length) == 0);
    EXPECT(said.keys == 1 && said.plaintext_bytes == BYTES && said.complete == 1);
    EXPECT(polyseal_inspect(&said, before, 4096, 0) == 0);
    EXPECT(said.keys == 1 && said.payload_bytes == 0 && said.complete == 0);
    EXPECT(polyseal_inspect(&said, before, 4096, 4096 + 8) == 0 && said.complete == 0);
    FAILS(polyseal_inspect(&said, before, 4095, length), POLYSEAL_ERR_TRUNCATED);
    FAILS(polyseal_inspect(&said, NULL, 0, 0), POLYSEAL_ERR_NOT_ENCRYPTED);
    FAILS(polyseal_inspect(NULL, before, 4096, 0), POLYSEAL_ERR_NULL);
    FAILS(polyseal_inspect_file(&said, "plain"), POLYSEAL_ERR_NOT_ENCRYPTED);
    FAILS(polyseal_inspect_file(&said, "absent"), POLYSEAL_ERR_IO);

    options.passphrase = (const uint8_t *)"correct horse";
    options.passphrase_bytes = 13;
    options.key = NULL;
    options.age_recipients = NULL;
    options.context = NULL;
    options.context_bytes = 0;
    EXPECT(polyseal_encrypt_file("plain", "worded", &options) == 0);
    EXPECT(polyseal_inspect_file(&said, "worded") == 0);
    EXPECT(said.passphrases == 1 && said.keys == 0 && said.context == 0 && said.age_kinds[0] == 0);
    return 0;
}

/* A file of age for two recipients: what stands behind the header is not looked at. */
static const char age_file[] =
    "age-encryption.org/v1\n"
    "-> X25519 XEl0dJ6y3C7KZkgmgWUicg63EyXJiwBJW8PdYJ/cYBE\n"
    "qRS0AMjdjPvZ/WT08U2KL4G+PIooA3hy38SvLpvaC1E\n"
    "-> X25519 XEl0dJ6y3C7KZkgmgWUicg63EyXJiwBJW8PdYJ/cYBE\n"
    "qRS0AMjdjPvZ/WT08U2KL4G+PIooA3hy38SvLpvaC1E\n"
    "--- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s\n"
    "0123456789abcdef0123456789abcdef!";

static int files_of_age(void) {
    polyseal_options mine = POLYSEAL_OPTIONS_INIT, theirs = POLYSEAL_OPTIONS_INIT;
    polyseal_inspection said;
    EXPECT(polyseal_inspect(&said, (const uint8_t *)age_file, sizeof age_file - 1,
                            sizeof age_file - 1) == 0);
    EXPECT(said.format == POLYSEAL_FORMAT_AGE && said.version == 1 && said.suite[0] == 0);
    EXPECT(said.age_recipients == 2 && strcmp(said.age_kinds, "X25519") == 0 && said.keys == 0);
    EXPECT(said.segment_bytes == 65536 && said.complete == 1 && said.plaintext_bytes == 1);
    EXPECT(store("aged", (const uint8_t *)age_file, sizeof age_file - 1));
    mine.key = key;
    theirs.key = other;
    FAILS(polyseal_rekey_file("aged", "new", &mine, &theirs, 0), POLYSEAL_ERR_NO_MATCHING_KEY);
    return 0;
}

static int armour(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT, theirs = POLYSEAL_OPTIONS_INIT;
    polyseal_inspection said;
    polyseal_file *file;
    size_t length, i;
    options.key = key;
    options.armor = 1;
    theirs.key = other;
    EXPECT(polyseal_encrypt_file("plain", "text", &options) == 0);
    length = load("text", before);
    EXPECT(memcmp(before, "-----BEGIN POLYSEAL FILE-----\n", 30) == 0);
    for (i = 0; i < length; i++) {
        EXPECT(before[i] == '\n' || (before[i] >= ' ' && before[i] <= '~'));
    }
    EXPECT(opens("text", key) && !opens("text", other));
    EXPECT(polyseal_verify_file("text", &options) == 0);
    EXPECT(polyseal_inspect_file(&said, "text") == 0);
    EXPECT(said.armored == 1 && said.keys == 1 && said.plaintext_bytes == BYTES);
    EXPECT(said.complete == 1 && strcmp(said.suite, "aegis-256x2") == 0);
    EXPECT(polyseal_inspect(&said, before, length, length) == 0 && said.plaintext_bytes == BYTES);
    /* A part of the text has the header, and no length. */
    EXPECT(polyseal_inspect(&said, before, 20000, length) == 0);
    EXPECT(said.armored == 1 && said.keys == 1 && said.complete == 0);

    FAILS(polyseal_file_open(&file, "text", &options), POLYSEAL_ERR_NOT_ENCRYPTED);
    FAILS(polyseal_rekey_file("text", "new", &options, &theirs, 0), POLYSEAL_ERR_UNSUPPORTED);
    before[length / 2] = '?';
    EXPECT(store("altered", before, length));
    FAILS(polyseal_verify_file("altered", &options), POLYSEAL_ERR_ARMOR);
    EXPECT(strstr(polyseal_last_error_text(), "line ") != NULL);
    FAILS(polyseal_inspect_file(&said, "altered"), POLYSEAL_ERR_ARMOR);
    FAILS(polyseal_decrypt_file("altered", "new", &options), POLYSEAL_ERR_ARMOR);
    EXPECT(access("new", F_OK) != 0);

    /* A file that only begins as armour may. */
    EXPECT(store("list", (const uint8_t *)"\n- a list\n", 10));
    FAILS(polyseal_verify_file("list", &options), POLYSEAL_ERR_NOT_ENCRYPTED);
    FAILS(polyseal_inspect_file(&said, "list"), POLYSEAL_ERR_NOT_ENCRYPTED);
    return 0;
}

int main(void) {
    size_t i;
    for (i = 0; i < BYTES; i++) content[i] = (uint8_t)(i / 3);
    EXPECT(store("plain", content, BYTES));
    return new_recipients() || one_rekey_at_a_time() || a_header_in_memory() ||
           what_a_file_says() || files_of_age() || armour();
}
