/* Files as the system has them: who may read them, whether they are on disk, and things that are not files. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

static const uint8_t key[32] = {9, 8, 7, 6, 5, 4, 3, 2, 1};

static int directories_on_disk = 0;

/* Stands before the system's, so that it is seen what the library has written. */
int fsync(int fd) {
    struct stat about;
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) directories_on_disk++;
    return fdatasync(fd);
}

static long bytes_read = 0;

/* The same for what it reads. */
ssize_t read(int fd, void *buffer, size_t length) {
    long done = syscall(SYS_read, fd, buffer, length);
    if (done > 0) bytes_read += done;
    return done;
}

static int store(const char *name, const char *text) {
    FILE *file = fopen(name, "wb");
    int done = file != NULL && fputs(text, file) >= 0;
    return file != NULL && fclose(file) == 0 && done;
}

static unsigned mode(const char *name) {
    struct stat about;
    return stat(name, &about) == 0 ? about.st_mode & 07777 : 0xffffffff;
}

static int a_file_that_replaces_another_has_its_mode_and_no_more(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    options.key = key;
    options.overwrite = 1;
    EXPECT(mkdir("ours", 0700) == 0);
    EXPECT(polyseal_encrypt_file("plain", "ours/sealed", &options) == 0);
    EXPECT(mode("ours/sealed") == 0600);
    EXPECT(store("ours/opened", "old") && chmod("ours/opened", 06755) == 0);
    EXPECT(mode("ours/opened") == 06755);
    EXPECT(polyseal_decrypt_file("ours/sealed", "ours/opened", &options) == 0);
    EXPECT(mode("ours/opened") == 0755);
    /* Anybody can give files their names here, and so may have chosen the mode. */
    EXPECT(mkdir("shared", 0700) == 0 && chmod("shared", 0777) == 0);
    EXPECT(store("shared/opened", "old") && chmod("shared/opened", 0666) == 0);
    EXPECT(polyseal_decrypt_file("ours/sealed", "shared/opened", &options) == 0);
    EXPECT(mode("shared/opened") == 0600);
    if (geteuid() == 0) {
        EXPECT(store("ours/theirs", "old") && chmod("ours/theirs", 0644) == 0);
        EXPECT(chown("ours/theirs", 54321, 54321) == 0);
        EXPECT(polyseal_decrypt_file("ours/sealed", "ours/theirs", &options) == 0);
        EXPECT(mode("ours/theirs") == 0600);
    }
    return 0;
}

static int an_output_is_on_disk_with_its_name(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    options.key = key;
    directories_on_disk = 0;
    EXPECT(polyseal_encrypt_file("plain", "lasting", &options) == 0);
    EXPECT(directories_on_disk == 1);
    return 0;
}

static int what_is_no_regular_file_is_refused_at_once(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    char long_key[17000];
    EXPECT(mkfifo("fifo", 0600) == 0);
    /* Whoever waits for the FIFO is not waited for. */
    alarm(20);
    options.key_file = "fifo";
    FAILS(polyseal_encrypt_file("plain", "none", &options), POLYSEAL_ERR_IO);
    EXPECT(strstr(polyseal_last_error_text(), "key file") != NULL);
    EXPECT(strstr(polyseal_last_error_text(), "not a regular file") != NULL);
    options.key_file = ".";
    FAILS(polyseal_encrypt_file("plain", "none", &options), POLYSEAL_ERR_IO);
    memset(long_key, '#', sizeof long_key - 1);
    long_key[sizeof long_key - 1] = 0;
    EXPECT(store("long", long_key));
    options.key_file = "long";
    FAILS(polyseal_encrypt_file("plain", "none", &options), POLYSEAL_ERR_KEY_FILE);
    /* A regular file that says it has 0 bytes, and has megabytes. Wrapped key files are the longest. */
    if (access("/proc/kallsyms", R_OK) == 0) {
        options.key_file = "/proc/kallsyms";
        bytes_read = 0;
        FAILS(polyseal_encrypt_file("plain", "none", &options), POLYSEAL_ERR_KEY_FILE);
        EXPECT(bytes_read > 0 && bytes_read <= 66000);
    }
    options.key_file = NULL;
    options.key = key;
    FAILS(polyseal_encrypt_file("fifo", "none", &options), POLYSEAL_ERR_IO);
    alarm(0);
    EXPECT(access("none", F_OK) != 0);
    return 0;
}

static int a_passphrase_is_not_empty(void) {
    polyseal_options options = POLYSEAL_OPTIONS_INIT;
    options.passphrase = (const uint8_t *)"";
    FAILS(polyseal_encrypt_file("plain", "none", &options), POLYSEAL_ERR_OPTIONS);
    /* It would be for the key alone, and its user believe something else. */
    options.key = key;
    FAILS(polyseal_encrypt_file("plain", "none", &options), POLYSEAL_ERR_OPTIONS);
    options.passphrase_bytes = 4097;
    options.passphrase = (const uint8_t *)calloc(4097, 1);
    FAILS(polyseal_encrypt_file("plain", "none", &options), POLYSEAL_ERR_OPTIONS);
    free((void *)options.passphrase);
    options.passphrase = NULL;
    options.passphrase_bytes = 0;
    options.context = (const uint8_t *)"";
    FAILS(polyseal_encrypt_file("plain", "none", &options), POLYSEAL_ERR_CONTEXT);
    return 0;
}

int main(int argc, char **argv) {
    int only = argc > 1 ? atoi(argv[1]) : 0;
    EXPECT(store("plain", "attack at dawn"));
    return ((only == 0 || only == 1) && a_file_that_replaces_another_has_its_mode_and_no_more()) ||
           ((only == 0 || only == 2) && an_output_is_on_disk_with_its_name()) ||
           ((only == 0 || only == 3) && what_is_no_regular_file_is_refused_at_once()) ||
           ((only == 0 || only == 4) && a_passphrase_is_not_empty());
}
