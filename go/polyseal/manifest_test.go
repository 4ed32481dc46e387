package polyseal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

type manifestIndex struct {
	Tests []struct {
		File, Rule, Outcome, OutcomeIfAllowed string
		Version                               int
		Number                                uint64
		Previous                              *struct{ Salt, KeyCommitment, PayloadRoot string }
		Entries                               []struct {
			Type, Path, Target               string
			State                            State
			Reason                           FailureReason
			Mode, Nanoseconds                uint32
			Seconds                          int64
			Size                             json.Number
			Salt, KeyCommitment, PayloadRoot string
		}
	}
}

var manifestOutcomes = map[string]string{
	reasonMagic: "not-a-manifest", reasonVersion: "unsupported-version", reasonLength: "bad-length",
	reasonType: "bad-type", reasonPath: "bad-path", reasonOrder: "out-of-order", reasonParent: "not-in-a-directory",
	reasonMode: "bad-mode", reasonTime: "bad-time", reasonCount: "bad-count", reasonNumber: "bad-number", reasonState: "bad-state",
}

func manifestOutcome(err error) string {
	var bad *ManifestError
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, ErrUnboundContents):
		return "unbound-contents"
	case errors.As(err, &bad):
		return manifestOutcomes[bad.Reason]
	}
	return err.Error()
}

// TestManifestMaximum has a manifest of directories, which are the shortest
// entries.
func TestManifestMaximum(t *testing.T) {
	data := append([]byte(manifestMagic), 2, 0)
	for _, name := range "abc" {
		data = append(data, 'd', 1, 0, byte(name))
		data = append(data, make([]byte, 14)...)
	}
	data = append(data, 'e', 3, 0, 0, 0, 0, 0, 0, 0)
	if _, err := parseManifest(data, false, 3); err != nil {
		t.Error(err)
	}
	var bad *ManifestError
	if _, err := parseManifest(data, false, 2); !errors.As(err, &bad) || bad.Reason != reasonTooLong {
		t.Error(err)
	}
}

func TestKitManifests(t *testing.T) {
	dir := vectors(t, "manifest")
	var index manifestIndex
	readJSON(t, filepath.Join(dir, "index.json"), &index)
	entries := 0
	for _, c := range index.Tests {
		data, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseManifest(data, false); manifestOutcome(err) != c.Outcome {
			t.Errorf("%s: %v instead of %s: %s", c.File, err, c.Outcome, c.Rule)
		}
		m, err := ParseManifest(data, true)
		if manifestOutcome(err) != c.OutcomeIfAllowed {
			t.Errorf("%s: %v instead of %s: %s", c.File, err, c.OutcomeIfAllowed, c.Rule)
		}
		if err != nil {
			continue
		}
		if len(m.Entries) != len(c.Entries) || m.Version != c.Version || m.Number != c.Number {
			t.Fatalf("%s: %d entries of version %d, number %d", c.File, len(m.Entries), m.Version, m.Number)
		}
		if (m.Previous == nil) != (c.Previous == nil) || m.Previous != nil && *m.Previous != (ManifestIdentity{
			[32]byte(unhex(c.Previous.Salt)), [32]byte(unhex(c.Previous.KeyCommitment)), [32]byte(unhex(c.Previous.PayloadRoot)),
		}) {
			t.Errorf("%s: another manifest before: %x", c.File, m.Previous)
		}
		failed := 0
		for i, e := range m.Entries {
			entries++
			want := c.Entries[i]
			kind := map[fs.FileMode]string{0: "file", fs.ModeDir: "directory", fs.ModeSymlink: "link", fs.ModeIrregular: "absent"}[e.Type]
			if e.State == StateFailed {
				failed++
			}
			if kind != want.Type || e.State != want.State || e.Reason != want.Reason || e.Version != c.Version || e.Path != string(unhex(want.Path)) || uint32(e.Mode) != want.Mode ||
				e.Seconds != want.Seconds || e.Nanoseconds != want.Nanoseconds || e.Target != string(unhex(want.Target)) {
				t.Errorf("%s: entry %d is %+v", c.File, i, e)
			}
			if e.Type != 0 {
				continue
			}
			size, _ := json.Marshal(e.Size)
			if string(size) != want.Size.String() || hex.EncodeToString(e.FileSalt[:]) != want.Salt || e.Bound() != (c.Version > 1) {
				t.Errorf("%s: file %d is %+v", c.File, i, e)
			}
			if e.Bound() && (hex.EncodeToString(e.KeyCommitment[:]) != want.KeyCommitment || hex.EncodeToString(e.PayloadRoot[:]) != want.PayloadRoot) {
				t.Errorf("%s: file %d is bound to something else", c.File, i)
			}
		}
		if len(m.Failed()) != failed || m.Complete() != (failed == 0) {
			t.Errorf("%s: %d of %d failed entries are named", c.File, len(m.Failed()), failed)
		}
	}
	t.Logf("%d manifests, %d entries", len(index.Tests), entries)
}

type payloadIndex struct {
	Key   string
	Files []struct {
		File, Salt, KeyCommitment, PayloadRoot string
		PayloadRootInVersion2                  string
		Context                                *string
		Size                                   uint64
	}
	Entries []struct {
		File, EntryOf              string
		Belongs, BelongsInVersion1 bool
	}
	Roots []struct {
		Segment, Length                    int
		PayloadRoot, PayloadRootInVersion2 string
	}
}

func TestKitPayloadRoots(t *testing.T) {
	dir := vectors(t, "manifest")
	var index payloadIndex
	readJSON(t, filepath.Join(dir, "payloads.json"), &index)
	for _, c := range index.Roots {
		for version, want := range map[int]string{2: c.PayloadRootInVersion2, 3: c.PayloadRoot} {
			root := newPayloadRoot(version)
			data := make([]byte, c.Length)
			for i := range data {
				data[i] = byte(uint32(i) * 0x9e3779b9 >> 24)
			}
			for ; len(data) > 0; data = data[min(len(data), c.Segment):] {
				root.add(data[:min(len(data), c.Segment)])
			}
			if sum := root.sum(); hex.EncodeToString(sum[:]) != want {
				t.Errorf("%d bytes in segments of %d, version %d: another root", c.Length, c.Segment, version)
			}
		}
	}
	key, err := ParseKey(append([]byte(keyPrefix), index.Key...))
	if err != nil {
		t.Fatal(err)
	}
	entries, files := map[int]map[string]*Entry{2: {}, 3: {}}, map[string]*File{}
	for _, c := range index.Files {
		data, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil {
			t.Fatal(err)
		}
		o := new(ReadOptions)
		if c.Context != nil {
			o.Context = unhex(*c.Context)
		}
		f, err := Open(bytes.NewReader(data), int64(len(data)), o, key)
		if err != nil {
			t.Fatalf("%s: %v", c.File, err)
		}
		files[c.File] = f
		for version, root := range map[int]string{2: c.PayloadRootInVersion2, 3: c.PayloadRoot} {
			e := &Entry{Version: version, Size: c.Size, FileSalt: [32]byte(unhex(c.Salt)),
				KeyCommitment: [32]byte(unhex(c.KeyCommitment)), PayloadRoot: [32]byte(unhex(root))}
			entries[version][c.File] = e
			var out bytes.Buffer
			if err := f.WriteEntry(&out, e); err != nil || uint64(out.Len()) != c.Size {
				t.Errorf("%s: %v", c.File, err)
			}
			for _, alter := range []func(e *Entry){
				func(e *Entry) { e.PayloadRoot[31] ^= 1 }, func(e *Entry) { e.KeyCommitment[0] ^= 1 },
				func(e *Entry) { e.FileSalt[0] ^= 1 }, func(e *Entry) { e.Size++ }, func(e *Entry) { e.Type = fs.ModeDir },
				func(e *Entry) { e.Version ^= 1 },
			} {
				other := *e
				alter(&other)
				if err := f.WriteEntry(io.Discard, &other); err != ErrDoesNotBelong {
					t.Errorf("%s, another entry: %v", c.File, err)
				}
			}
		}
	}
	for _, c := range index.Entries {
		for version := range entries {
			err := files[c.File].WriteEntry(io.Discard, entries[version][c.EntryOf])
			if (err == nil) != c.Belongs || err != nil && err != ErrDoesNotBelong {
				t.Errorf("%s as %s, in version %d: %v", c.File, c.EntryOf, version, err)
			}
		}
		unbound := *entries[2][c.EntryOf]
		unbound.Version = 1
		if err := files[c.File].WriteEntry(io.Discard, &unbound); (err == nil) != c.BelongsInVersion1 {
			t.Errorf("%s as %s, in version 1: %v", c.File, c.EntryOf, err)
		}
	}
	t.Logf("%d roots, %d files, %d entries", len(index.Roots), len(index.Files), len(index.Entries))
}

// TestOpenManifest puts manifests of all versions into all contexts.
func TestOpenManifest(t *testing.T) {
	key := GenerateKey()
	empty := func(version byte) []byte {
		if version == 3 {
			return manifestOf(1, nil)
		}
		return append([]byte(manifestMagic), version, 0, 'e', 0, 0, 0, 0, 0, 0, 0, 0)
	}
	for _, c := range []struct {
		version       byte
		context, tree string
		refuse, allow error
	}{
		{3, "polyseal-manifest/3", "", nil, nil},
		{3, "polyseal-manifest/3:c", "c", nil, nil},
		{3, "", "", ErrContextDiffers, ErrContextDiffers},
		{3, "c", "c", ErrContextDiffers, ErrContextDiffers},
		{3, "polyseal-manifest/2", "", ErrContextDiffers, ErrContextDiffers},
		{3, "polyseal-manifest/2:c", "c", ErrContextDiffers, ErrContextDiffers},
		{3, "polyseal-manifest/3", "c", ErrContextDiffers, ErrContextDiffers},
		{3, "polyseal-manifest/3:c", "", ErrContextMissing, ErrContextMissing},
		{2, "polyseal-manifest/3", "", ErrContextDiffers, ErrContextDiffers},
		{1, "polyseal-manifest/3", "", ErrUnboundContents, ErrContextDiffers},
		{2, "polyseal-manifest/2", "", nil, nil},
		{2, "polyseal-manifest/2:c", "c", nil, nil},
		{2, "", "", ErrContextDiffers, ErrContextDiffers},
		{2, "c", "c", ErrContextDiffers, ErrContextDiffers},
		{2, "polyseal-manifest/2", "c", ErrContextDiffers, ErrContextDiffers},
		{2, "polyseal-manifest/2:c", "", ErrContextMissing, ErrContextMissing},
		{1, "", "", ErrUnboundContents, nil},
		{1, "c", "c", ErrUnboundContents, nil},
		{1, "polyseal-manifest/2", "", ErrUnboundContents, ErrContextDiffers},
	} {
		file := seal(t, empty(c.version), &WriteOptions{Context: []byte(c.context)}, key)
		for allow, want := range map[bool]error{false: c.refuse, true: c.allow} {
			o := &ManifestOptions{Context: []byte(c.tree), AllowUnboundContents: allow}
			if _, err := OpenManifest(bytes.NewReader(file), int64(len(file)), o, key); err != want {
				t.Errorf("version %d in %q for %q, %t: %v instead of %v", c.version, c.context, c.tree, allow, err, want)
			}
		}
	}
}

func TestStaysInside(t *testing.T) {
	for _, c := range []struct {
		path, target string
		inside       bool
	}{
		{"l", "a", true}, {"l", "a/b", true}, {"l", "/a", false}, {"l", "..", false}, {"l", "../a", false},
		{"a/l", "../b", true}, {"a/l", "./..//b", true}, {"a/l", "../../b", false}, {"a/b/l", "../../c", true},
		{"a/b/l", "c/..", false}, {"a/l", ".", true}, {"a/l", "...", true},
	} {
		e := &Entry{Type: fs.ModeSymlink, Path: c.path, Target: c.target}
		if e.StaysInside() != c.inside {
			t.Errorf("%s -> %s", c.path, c.target)
		}
	}
}
