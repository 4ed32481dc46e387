/* Keys that live elsewhere: wrapped key files, and a key pair in a token. See kms.rs. */

#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

static int write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "wb");
    return file != NULL && fputs(text, file) >= 0 && fclose(file) == 0;
}

static int read_text(const char *name, char *text, size_t room) {
    FILE *file = fopen(name, "rb");
    size_t length = file == NULL ? 0 : fread(text, 1, room - 1, file);
    text[length] = 0;
    return file != NULL && fclose(file) == 0 && length > 0;
}

static int wrapped_keys(void) {
    polyseal_options wrapped = POLYSEAL_OPTIONS_INIT, plain = POLYSEAL_OPTIONS_INIT;
    char part[5] = "";
    polyseal_file *file;
    wrapped.key_file = "team.wrapped";
    plain.key_file = "team.key";
    wrapped.overwrite = plain.overwrite = 1;
    EXPECT(polyseal_encrypt_file("plain", "sealed", &wrapped) == 0);
    EXPECT(polyseal_decrypt_file("sealed", "opened", &wrapped) == 0);
    EXPECT(polyseal_verify_file("sealed", &plain) == 0);
    EXPECT(polyseal_encrypt_file("plain", "sealed", &plain) == 0);
    EXPECT(polyseal_file_open(&file, "sealed", &wrapped) == 0);
    EXPECT(polyseal_file_read_at(file, (uint8_t *)part, 4, 10) == 4);
    EXPECT(strcmp(part, "dawn") == 0);
    polyseal_file_close(file);

    wrapped.key_file = "lost.wrapped";
    FAILS(polyseal_encrypt_file("plain", "new", &wrapped), POLYSEAL_ERR_KEEPER);
    EXPECT(strstr(polyseal_last_error_text(), "secret-service:service=tests") != NULL);
    EXPECT(access("new", F_OK) != 0);
    wrapped.key_file = "altered.wrapped";
    FAILS(polyseal_verify_file("sealed", &wrapped), POLYSEAL_ERR_KEY_FILE);
    wrapped.key_file = "other.wrapped";
    FAILS(polyseal_verify_file("sealed", &wrapped), POLYSEAL_ERR_KEY_FILE);
    EXPECT(strstr(polyseal_last_error_text(), "module-path") != NULL);
    return 0;
}

static int key_pairs(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    static char recipient[4096], identity[4096];
    EXPECT(read_text("restore.recipient", recipient, sizeof recipient));
    EXPECT(read_text("restore.identity", identity, sizeof identity));
    options.age_recipients = recipient;
    EXPECT(polyseal_encrypt_file("plain", "for-token", &options) == 0);
    options.age_identities = identity;
    unsetenv("PKCS11_MODULE");
    FAILS(polyseal_verify_file("for-token", &options), POLYSEAL_ERR_UNSUPPORTED);
    EXPECT(strstr(polyseal_last_error_text(), "PKCS11_MODULE") != NULL);
    return 0;
}

static int no_program(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    options.key_file = "lost.wrapped";
    EXPECT(setenv("PATH", "/nowhere", 1) == 0);
    FAILS(polyseal_verify_file("sealed", &options), POLYSEAL_ERR_UNSUPPORTED);
    EXPECT(strstr(polyseal_last_error_text(), "libsecret-tools") != NULL);
    return 0;
}

int main(int argc, char **argv) {
    EXPECT(argc == 2);
    EXPECT(setenv("PATH", argv[1], 1) == 0);
    EXPECT(write_text("plain", "attack at dawn"));
    return wrapped_keys() || key_pairs() || no_program();
}
