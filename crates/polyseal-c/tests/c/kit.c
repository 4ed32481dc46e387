/* Every file of the file format's kit: those that open, and why the others do not. */

#include <polyseal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kit's names of outcomes, and the errors that each may be. */
static const struct {
    const char *name;
    int codes[3];
} outcomes[] = {
    {"bad-armor", {POLYSEAL_ERR_ARMOR, POLYSEAL_ERR_NOT_ENCRYPTED, 0}},
    {"bad-header", {POLYSEAL_ERR_HEADER, 0, 0}},
    {"corrupt-segment", {POLYSEAL_ERR_CORRUPT, 0, 0}},
    {"header-not-authentic", {POLYSEAL_ERR_HEADER, 0, 0}},
    {"no-matching-key",
     {POLYSEAL_ERR_NO_MATCHING_KEY, POLYSEAL_ERR_PASSPHRASE, POLYSEAL_ERR_KEY_FILE}},
    {"truncated-payload", {POLYSEAL_ERR_TRUNCATED, POLYSEAL_ERR_CORRUPT, 0}},
    {"truncated-header", {POLYSEAL_ERR_TRUNCATED, 0, 0}},
    {"context-differs", {POLYSEAL_ERR_CONTEXT, 0, 0}},
    {"context-missing", {POLYSEAL_ERR_CONTEXT, 0, 0}},
    {"context-unexpected", {POLYSEAL_ERR_CONTEXT, 0, 0}},
    {"unsupported-version", {POLYSEAL_ERR_VERSION, 0, 0}},
    {"not-a-polyseal-file", {POLYSEAL_ERR_NOT_ENCRYPTED, 0, 0}},
};

static unsigned digit(char c) {
    return (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

/* The bytes, with a null byte behind them; NULL for "-". */
static uint8_t *unhex(const char *text, size_t *length) {
    uint8_t *bytes;
    size_t i;
    *length = 0;
    if (strcmp(text, "-") == 0) return NULL;
    *length = strlen(text) / 2;
    bytes = (uint8_t *)calloc(*length + 1, 1);
    if (bytes == NULL) exit(2);
    for (i = 0; i < *length; i++) {
        bytes[i] = (uint8_t)(16 * digit(text[2 * i]) + digit(text[2 * i + 1]));
    }
    return bytes;
}

/* Whether the error is one that the outcome may be. */
static int expected(const char *outcome, int error) {
    size_t i;
    int j;
    for (i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        if (strcmp(outcomes[i].name, outcome) != 0) continue;
        for (j = 0; j < 3; j++) {
            if (error != 0 && outcomes[i].codes[j] == error) return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    static char line[1 << 18];
    unsigned long count = 0;
    int wrong = 0, armored = 0;
    FILE *list = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (list == NULL) return 2;
    while (fgets(line, sizeof line, list) != NULL) {
        polyseal_options options = POLYSEAL_OPTIONS_INIT;
        polyseal_file *file;
        char *words[7];
        uint8_t *key, *passphrase, *identity, *context;
        size_t length;
        int i, verified, ok;
        for (i = 0; i < 7; i++) {
            words[i] = strtok(i == 0 ? line : NULL, " \n");
            if (words[i] == NULL) return 2;
        }
        options.key = key = unhex(words[2], &length);
        options.passphrase = passphrase = unhex(words[3], &options.passphrase_bytes);
        identity = unhex(words[4], &length);
        options.age_identities = (const char *)identity;
        options.context = context = unhex(words[5], &options.context_bytes);
        options.threads = 1;

        ok = strcmp(words[0], "ok") == 0;
        verified = polyseal_verify_file(words[6], &options);
        if (verified != (ok ? 0 : -1) || (!ok && !expected(words[0], polyseal_last_error()))) {
            fprintf(stderr, "%s: %s, but %d: %s\n", words[6], words[0], verified,
                    polyseal_last_error_text());
            wrong = 1;
        }
        if (ok) {
            polyseal_inspection inspection;
            if (polyseal_inspect_file(&inspection, words[6]) != 0 || !inspection.complete ||
                inspection.plaintext_bytes != strtoull(words[1], NULL, 10)) {
                fprintf(stderr, "%s: says another length, or nothing\n", words[6]);
                wrong = 1;
            }
            armored += inspection.armored;
            if (!inspection.armored) {
                if (polyseal_file_open(&file, words[6], &options) != 0 ||
                    polyseal_file_size(file) != strtoull(words[1], NULL, 10)) {
                    fprintf(stderr, "%s: does not open, or has another length\n", words[6]);
                    wrong = 1;
                }
                polyseal_file_close(file);
            }
        }
        free(key);
        free(passphrase);
        free(identity);
        free(context);
        count++;
    }
    fclose(list);
    printf("%lu files\n", count);
    return wrong || armored < 5;
}
