package polyseal

// The conformance kit: every case of vectors/file-format/index.json.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"
)

type kitBytes struct {
	Hex   string
	Times int
}

func (b kitBytes) bytes() []byte { return bytes.Repeat(unhex(b.Hex), b.Times) }

type kitKey struct {
	Kind, Hex, Identity, Recipient string
	Times                          int
}

type kitCase struct {
	File, Section, Rule, Outcome string
	Armored                      bool
	Keys                         []string
	Context                      *kitBytes
	Plaintext                    *string
	PlaintextLength              int64
	PlaintextSha256              string
	Segment                      uint64
	Start, Length                int64
}

type kitKeyFile struct{ File, Rule, Outcome, Key string }

type kitIndex struct {
	Keys         map[string]kitKey
	Tests, Parts []kitCase
	KeyFiles     []kitKeyFile
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// vectors finds a folder of test vectors: in POLYSEAL_VECTORS, or in a folder
// vectors above this one.
func vectors(t testing.TB, folder string) string {
	var tried []string
	if all := os.Getenv("POLYSEAL_VECTORS"); all != "" {
		tried = append(tried, filepath.Join(all, folder))
	} else {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			tried = append(tried, filepath.Join(dir, "vectors", folder))
		}
	}
	for _, dir := range tried {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	t.Fatalf("no test vectors; looked in %q", tried)
	return ""
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (k kitKey) identity(t testing.TB) Identity {
	switch k.Kind {
	case "key-file":
		key, err := ParseKey(unhex(k.Hex))
		if err != nil {
			t.Fatal(err)
		}
		return key
	case "passphrase":
		p, err := NewPassphrase(kitBytes{k.Hex, k.Times}.bytes())
		if err != nil {
			t.Fatal(err)
		}
		return p
	case "age":
		var i age.Identity
		i, err := age.ParseX25519Identity(k.Identity)
		if err != nil {
			i, err = age.ParseHybridIdentity(k.Identity)
		}
		if err != nil {
			t.Fatal(err)
		}
		return AgeIdentity(i)
	}
	t.Fatalf("a key of kind %q", k.Kind)
	return nil
}

// outcome names an error as the kit does.
func outcome(err error) string {
	var header *HeaderError
	var segment *SegmentError
	var armor *ArmorError
	var keyFile *KeyFileError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &header):
		return "bad-header"
	case errors.As(err, &segment):
		return "corrupt-segment"
	case errors.As(err, &armor):
		return "bad-armor"
	case errors.As(err, &keyFile):
		return "bad-key-file"
	}
	for target, name := range map[error]string{
		ErrNotPolyseal: "not-a-polyseal-file", ErrUnsupportedVersion: "unsupported-version",
		ErrTruncatedHeader: "truncated-header", ErrHeaderNotAuthentic: "header-not-authentic",
		ErrNoMatchingKey: "no-matching-key", ErrContextMissing: "context-missing",
		ErrContextDiffers: "context-differs", ErrContextUnexpected: "context-unexpected",
		ErrPayloadLength: "truncated-payload", ErrUnsupportedSuite: "unsupported-suite",
	} {
		if errors.Is(err, target) {
			return name
		}
	}
	return "error: " + err.Error()
}

type kit struct {
	index kitIndex
	dir   string
	ids   map[string]Identity
	files map[string][]byte
}

func loadKit(t testing.TB) *kit {
	k := &kit{dir: vectors(t, "file-format"), ids: map[string]Identity{}, files: map[string][]byte{}}
	readJSON(t, filepath.Join(k.dir, "index.json"), &k.index)
	if len(k.index.Tests) == 0 || len(k.index.Parts) == 0 || len(k.index.KeyFiles) == 0 {
		t.Fatal("the kit is empty")
	}
	for name, key := range k.index.Keys {
		k.ids[name] = key.identity(t)
	}
	return k
}

func (k *kit) file(t testing.TB, name string) []byte {
	if _, ok := k.files[name]; !ok {
		data, err := os.ReadFile(filepath.Join(k.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		k.files[name] = data
	}
	return k.files[name]
}

func (k *kit) identities(c kitCase) (ids []Identity) {
	for _, name := range c.Keys {
		ids = append(ids, k.ids[name])
	}
	return ids
}

func (c kitCase) options(goroutines int) *ReadOptions {
	o := &ReadOptions{Goroutines: goroutines}
	if c.Context != nil {
		o.Context = c.Context.bytes()
	}
	return o
}

// opens says whether only what follows the header decides about the case.
func (c kitCase) opens() bool {
	return c.Outcome == "ok" || c.Outcome == "corrupt-segment" || c.Outcome == "truncated-payload"
}

func (c kitCase) name() string { return fmt.Sprintf("%s %q", c.File, c.Keys) }

func (c kitCase) matches(plaintext []byte) bool {
	if c.Plaintext != nil {
		return bytes.Equal(plaintext, unhex(*c.Plaintext))
	}
	sum := sha256.Sum256(plaintext)
	return int64(len(plaintext)) == c.PlaintextLength && hex.EncodeToString(sum[:]) == c.PlaintextSha256
}

// check compares what a read gave with the case. The number of a segment may
// be that of the last one, if the reader opens it first.
func (c kitCase) check(t *testing.T, how string, plaintext []byte, err error, lastFirst bool) {
	t.Helper()
	if got := outcome(err); got != c.Outcome {
		t.Errorf("%s, %s: %s (%v) instead of %s: %s", c.name(), how, got, err, c.Outcome, c.Rule)
		return
	}
	var segment *SegmentError
	if errors.As(err, &segment) && segment.Number != c.Segment && !lastFirst {
		t.Errorf("%s, %s: segment %d instead of %d", c.name(), how, segment.Number, c.Segment)
	}
	if err == nil && !c.matches(plaintext) {
		t.Errorf("%s, %s: another plaintext", c.name(), how)
	}
}

func readAll(data []byte, armored bool, o *ReadOptions, ids []Identity) ([]byte, error) {
	var src io.Reader = bytes.NewReader(data)
	if armored {
		src = NewArmorReader(src)
	}
	r, err := NewReader(src, o, ids...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func openAll(data []byte, o *ReadOptions, ids []Identity) ([]byte, error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)), o, ids...)
	if err != nil {
		return nil, err
	}
	plaintext := make([]byte, f.Size())
	n, err := f.ReadAt(plaintext, 0)
	return plaintext[:n], err
}

// runKit runs every case, and returns how many had each outcome, and how many
// were of a suite that is not computed.
func runKit(t *testing.T, k *kit) (outcomes map[string]int, unsupported int) {
	outcomes = map[string]int{}
	for _, c := range k.index.Tests {
		data, ids := k.file(t, c.File), k.identities(c)
		if c.Armored != IsArmor(data[0]) && c.Outcome != "bad-armor" {
			t.Errorf("%s: IsArmor", c.File)
		}
		var src io.Reader = bytes.NewReader(data)
		if c.Armored {
			decoded, err := io.ReadAll(NewArmorReader(src))
			if got := outcome(err); (got == "bad-armor") != (c.Outcome == "bad-armor") || err != nil && got != "bad-armor" {
				t.Errorf("%s: the armour alone: %s instead of %s: %s", c.File, got, c.Outcome, c.Rule)
			}
			src = bytes.NewReader(decoded)
		}
		if c.opens() || c.Outcome == "bad-armor" {
			// A suite that is not computed is said after the header was
			// opened, and before the rest of the armour is read.
			if h, err := ReadHeader(src); err == nil && !h.Suite().Supported() {
				c.Outcome = "unsupported-suite"
				unsupported++
			} else if err != nil && c.opens() {
				t.Errorf("%s: %v", c.name(), err)
			}
		}
		outcomes[c.Outcome]++
		plaintext, err := readAll(data, c.Armored, c.options(1), ids)
		c.check(t, "one goroutine", plaintext, err, false)
		if len(c.Keys) > 0 && k.index.Keys[c.Keys[0]].Kind == "passphrase" {
			continue // Argon2id once is enough
		}
		plaintext, err = readAll(data, c.Armored, c.options(3), ids)
		c.check(t, "three goroutines", plaintext, err, false)
		if !c.Armored {
			plaintext, err = openAll(data, c.options(1), ids)
			c.check(t, "Open", plaintext, err, true)
		}
	}
	return outcomes, unsupported
}

func TestKit(t *testing.T) {
	k := loadKit(t)
	outcomes, unsupported := runKit(t, k)
	t.Logf("%d cases: %v; %d of suites that are not computed", len(k.index.Tests), outcomes, unsupported)
	if unsupported == 0 || unsupported == len(k.index.Tests) {
		t.Error("the kit has cases of both kinds")
	}
}

func TestKitParts(t *testing.T) {
	k := loadKit(t)
	for _, c := range k.index.Parts {
		data := k.file(t, c.File)
		plaintext := make([]byte, c.Length)
		f, err := Open(bytes.NewReader(data), int64(len(data)), c.options(1), k.identities(c)...)
		if err == nil {
			_, err = f.ReadAt(plaintext, c.Start)
		}
		c.check(t, "a part", plaintext, err, false)
	}
	t.Logf("%d parts", len(k.index.Parts))
}

func TestKitKeyFiles(t *testing.T) {
	k := loadKit(t)
	for _, c := range k.index.KeyFiles {
		key, err := ReadKey(bytes.NewReader(k.file(t, c.File)))
		if got := outcome(err); got != c.Outcome {
			t.Errorf("%s: %s instead of %s: %s", c.File, got, c.Outcome, c.Rule)
		} else if err == nil && hex.EncodeToString(key.bytes()) != c.Key {
			t.Errorf("%s: another key", c.File)
		}
	}
	t.Logf("%d key files", len(k.index.KeyFiles))
}
