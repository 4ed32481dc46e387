/* A module of PKCS #11 that passes everything on to SoftHSM, writes down what it is asked for, and
 * fails when it is told to: SHIM is a directory with the file `log`, and with `flags` (to be set in
 * the token's) and `gone` (how many derivations fail as if the token had been pulled). */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long rv;
typedef rv (*function)();

/* The places of functions in CK_FUNCTION_LIST, behind the version. */
enum { GET_TOKEN_INFO = 6, LOGIN = 18, DESTROY_OBJECT = 22, DERIVE_KEY = 62, ALL = 68 };
/* The place of flags in CK_TOKEN_INFO: behind four texts. */
enum { FLAGS_AT = 32 + 32 + 16 + 16 };

struct list {
	unsigned long version;
	function functions[ALL];
};

static struct list ours, *theirs;

static FILE *file(const char *name, const char *mode) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", getenv("SHIM"), name);
	return fopen(path, mode);
}

static void note(const char *what) {
	FILE *log = file("log", "a");
	if (log) {
		fprintf(log, "%s\n", what);
		fclose(log);
	}
}

static unsigned long number(const char *name) {
	unsigned long value = 0;
	FILE *from = file(name, "r");
	if (from) {
		if (fscanf(from, "%lx", &value) != 1) value = 0;
		fclose(from);
	}
	return value;
}

static rv get_token_info(unsigned long slot, char *info) {
	rv result = theirs->functions[GET_TOKEN_INFO](slot, info);
	unsigned long flags;
	memcpy(&flags, info + FLAGS_AT, sizeof flags);
	flags |= number("flags");
	memcpy(info + FLAGS_AT, &flags, sizeof flags);
	return result;
}

static rv login(unsigned long session, unsigned long user, char *pin, unsigned long length) {
	note("login");
	return theirs->functions[LOGIN](session, user, pin, length);
}

static rv destroy_object(unsigned long session, unsigned long object) {
	note("destroy");
	return theirs->functions[DESTROY_OBJECT](session, object);
}

static rv derive_key(unsigned long session, void *mechanism, unsigned long key, void *template,
		unsigned long count, unsigned long *derived) {
	unsigned long gone = number("gone");
	note("derive");
	if (gone) {
		FILE *to = file("gone", "w");
		fprintf(to, "%lx", gone - 1);
		fclose(to);
		return 0x32; /* CKR_DEVICE_REMOVED */
	}
	return theirs->functions[DERIVE_KEY](session, mechanism, key, template, count, derived);
}

__attribute__((constructor)) static void loaded(void) { note("loaded"); }

rv C_GetFunctionList(struct list **list) {
	void *module = dlopen(getenv("SOFTHSM2_MODULE"), RTLD_NOW);
	rv (*get)(struct list **) = NULL;
	if (module) get = (rv(*)(struct list **))dlsym(module, "C_GetFunctionList");
	if (!get) return 5; /* CKR_GENERAL_ERROR */
	rv result = get(&theirs);
	ours = *theirs;
	ours.functions[GET_TOKEN_INFO] = (function)get_token_info;
	ours.functions[LOGIN] = (function)login;
	ours.functions[DESTROY_OBJECT] = (function)destroy_object;
	ours.functions[DERIVE_KEY] = (function)derive_key;
	*list = &ours;
	return result;
}
