package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain is the program itself for the tests below.
func TestMain(m *testing.M) {
	if os.Getenv("POLYSEAL_CAT") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// run returns what the program prints, and its complaint if it fails.
func run(t *testing.T, arguments ...string) (printed, complaint string) {
	t.Helper()
	command := exec.Command(os.Args[0], arguments...)
	command.Env = append(os.Environ(), "POLYSEAL_CAT=1")
	var out, errors bytes.Buffer
	command.Stdout, command.Stderr = &out, &errors
	if err := command.Run(); (err == nil) != (errors.Len() == 0) {
		t.Fatal(arguments, err, errors.String())
	}
	return out.String(), errors.String()
}

func TestSignedFiles(t *testing.T) {
	folder := "../../../../vectors"
	if all := os.Getenv("POLYSEAL_VECTORS"); all != "" {
		folder = all
	}
	at := func(name string) string { return filepath.Join(folder, "statement", name) }
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, bytes.Repeat([]byte{0x11}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	signers, sig, file := at("allowed_signers"), at("short.sig"), at("short.polyseal")
	plain, complaint := run(t, "-k", key, file)
	if plain == "" || complaint != "" {
		t.Fatal(complaint)
	}
	if printed, complaint := run(t, "-k", key, "-signers", signers, "-by", "alice@example.org", "-signature", sig, "-offset", "4000", file); printed != plain[4000:] {
		t.Errorf("%d bytes, %s", len(printed), complaint)
	}
	if printed, _ := run(t, "-signers", signers, "-signature", sig, "-verify", file); !strings.HasPrefix(printed, "contents as they were signed by alice@example.org, SHA256:") {
		t.Error(printed)
	}
	for want, arguments := range map[string][]string{
		"no such file":       {"-k", key, "-signers", signers, file},
		"an allowed signer":  {"-k", key, "-signers", signers, "-signature", at("mallory.sig"), file},
		"of the statement":   {"-k", key, "-signers", signers, "-by", "bob", "-signature", sig, file},
		"about another file": {"-k", key, "-signers", signers, "-signature", sig, at("other.polyseal")},
		"that was signed":    {"-k", key, "-signers", signers, "-signature", at("cut.sig"), at("cut.polyseal")},
		"line 1 of the list": {"-k", key, "-signers", sig, file},
		"Usage":              {"-k", key, "-signature", sig, file},
	} {
		if printed, complaint := run(t, arguments...); printed != "" || !strings.Contains(complaint, want) {
			t.Errorf("%q: %d bytes, %s", arguments, len(printed), complaint)
		}
	}
}
