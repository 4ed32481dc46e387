package polyseal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// manifestOf is the plaintext of a manifest of version 3.
func manifestOf(number uint64, previous *ManifestIdentity, entries ...Entry) []byte {
	b := append([]byte(manifestMagic), manifestVersion, 0)
	b = binary.LittleEndian.AppendUint64(b, number)
	if previous == nil {
		previous = new(ManifestIdentity)
	}
	b = append(append(append(b, previous.FileSalt[:]...), previous.KeyCommitment[:]...), previous.PayloadRoot[:]...)
	failed := uint64(0)
	for _, e := range entries {
		b = append(b, map[fs.FileMode]byte{0: 'f', fs.ModeDir: 'd', fs.ModeSymlink: 'l', fs.ModeIrregular: 'x'}[e.Type])
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(e.Path))), e.Path...)
		b = append(b, byte(e.State), byte(e.Reason))
		b = binary.LittleEndian.AppendUint16(b, uint16(e.Mode))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Seconds))
		b = binary.LittleEndian.AppendUint32(b, e.Nanoseconds)
		switch e.Type {
		case 0:
			b = append(binary.LittleEndian.AppendUint64(b, e.Size), e.FileSalt[:]...)
			b = append(append(append(b, e.KeyCommitment[:]...), e.PayloadRoot[:]...), make([]byte, 16)...)
		case fs.ModeSymlink:
			b = append(binary.LittleEndian.AppendUint16(b, uint16(len(e.Target))), e.Target...)
		}
		if e.State == StateFailed {
			failed++
		}
	}
	b = binary.LittleEndian.AppendUint64(append(b, 'e'), uint64(len(entries)))
	return binary.LittleEndian.AppendUint64(b, failed)
}

// treeMaker makes an encrypted tree, as the tool would.
type treeMaker struct {
	testing.TB
	key     *Key
	context string
	files   fstest.MapFS
}

func newTree(t testing.TB, context string) *treeMaker {
	return &treeMaker{t, GenerateKey(), context, fstest.MapFS{}}
}

func (m *treeMaker) put(name string, data []byte) { m.files[name] = &fstest.MapFile{Data: data} }

// file puts an encrypted file there, and returns its entry.
func (m *treeMaker) file(name, path, plaintext string) Entry {
	data := seal(m, []byte(plaintext), &WriteOptions{Context: []byte(m.context), SegmentSize: 4096}, m.key)
	f, err := Open(bytes.NewReader(data), int64(len(data)), &ReadOptions{Context: []byte(m.context)}, m.key)
	if err != nil {
		m.Fatal(err)
	}
	root := newPayloadRoot(manifestVersion)
	if err := f.writeTo(io.Discard, root); err != nil {
		m.Fatal(err)
	}
	e := Entry{Version: manifestVersion, Path: path, Mode: 0o600, Size: uint64(len(plaintext)), FileSalt: f.header.FileSalt(),
		KeyCommitment: f.payload.commitment, PayloadRoot: root.sum()}
	if name == "" {
		name = updatePlace(&e).name
	}
	m.put(name, data)
	return e
}

// manifest puts an encrypted manifest there, and returns its identity.
func (m *treeMaker) manifest(name string, plaintext []byte) *ManifestIdentity {
	o := &WriteOptions{Context: manifestContext(manifestVersion, []byte(m.context))}
	data := seal(m, plaintext, o, m.key)
	m.put(name, data)
	got, err := OpenManifest(bytes.NewReader(data), int64(len(data)), m.options(), m.key)
	if err != nil {
		m.Fatal(err)
	}
	return got.Identity
}

func (m *treeMaker) options() *ManifestOptions { return &ManifestOptions{Context: []byte(m.context)} }

func (m *treeMaker) open() *Tree {
	m.Helper()
	tree, err := OpenTree(m.files, m.options(), m.key)
	if err != nil {
		m.Fatal(err)
	}
	return tree
}

// is compares the contents of a file of the tree, which is there by an entry of
// that size.
func (m *treeMaker) is(tree *Tree, path, want string) {
	m.Helper()
	var out bytes.Buffer
	e, err := tree.WriteFile(&out, path)
	if err != nil || out.String() != want || e.Size != uint64(len(want)) {
		m.Errorf("%s: %d bytes, %v", path, out.Len(), err)
	}
}

func (m *treeMaker) compare(tree *Tree, missing, strange []string) {
	m.Helper()
	gotMissing, gotStrange, err := tree.Compare()
	if err != nil || !reflect.DeepEqual(gotMissing, missing) || !reflect.DeepEqual(gotStrange, strange) {
		m.Errorf("missing %v, strange %v, %v", gotMissing, gotStrange, err)
	}
}

func failed(e Entry, reason FailureReason) Entry {
	e.State, e.Reason = StateFailed, reason
	return e
}

func deleted(e Entry) Entry {
	e.State = StateDeleted
	return e
}

func TestTree(t *testing.T) {
	for _, context := range []string{"", "c"} {
		m := newTree(t, context)
		one := m.file("a/one.polyseal", "a/one", strings.Repeat("1", 20000))
		two := m.file("two.polyseal", "two", "")
		m.manifest(manifestName, manifestOf(7, nil, Entry{Path: "a", Type: fs.ModeDir, Mode: 0o700}, one,
			Entry{Path: "link", Type: fs.ModeSymlink, Target: "a/one"}, two))
		tree := m.open()
		if err := tree.Incomplete(); err != nil || tree.Interrupted || tree.Manifest.Number != 7 {
			t.Errorf("%v, number %d", err, tree.Manifest.Number)
		}
		m.is(tree, "a/one", strings.Repeat("1", 20000))
		m.is(tree, "two", "")
		m.compare(tree, nil, nil)
		for _, path := range []string{"a", "link", "three", manifestName, ""} {
			if _, err := tree.WriteFile(io.Discard, path); err != ErrNoEntry {
				t.Errorf("%q: %v", path, err)
			}
		}

		m.put("x", nil)
		m.put("two", nil)
		m.put("a.polyseal", nil)
		m.files["two.polyseal"], m.files["a/one.polyseal"] = m.files["a/one.polyseal"], m.files["two.polyseal"]
		if _, err := tree.WriteFile(io.Discard, "two"); err != ErrDoesNotBelong {
			t.Error(err)
		}
		m.files[updatePlace(&one).name] = m.files["two.polyseal"]
		delete(m.files, "a/one.polyseal")
		if _, err := tree.WriteFile(io.Discard, "a/one"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		m.compare(tree, []string{"a/one.polyseal"}, []string{"a.polyseal", "two", "x"})

		// A file of the tree is no manifest, and another context is none.
		m.files[manifestName] = m.files["two.polyseal"]
		if _, err := OpenTree(m.files, m.options(), m.key); err == nil {
			t.Error("a file was taken for the manifest")
		}
		delete(m.files, manifestName)
		if _, err := OpenTree(m.files, m.options(), m.key); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

func TestTreeIncomplete(t *testing.T) {
	m := newTree(t, "")
	kept := failed(m.file("d/kept.polyseal", "d/kept", "of an earlier run"), FailurePermission)
	gone := deleted(m.file("gone.polyseal", "gone", "deleted"))
	was := deleted(Entry{Path: "was", FileSalt: [32]byte{1}})
	m.manifest(manifestName, manifestOf(2, nil, failed(Entry{Path: "d", Type: fs.ModeDir}, FailurePermission), kept, gone,
		Entry{Path: "socket", Type: fs.ModeIrregular, State: StateFailed, Reason: FailureType}, was,
		Entry{Path: "y", Type: fs.ModeIrregular, State: StateFailed, Reason: 77}))
	tree := m.open()
	err := tree.Incomplete()
	var incomplete *IncompleteError
	if !errors.Is(err, ErrIncomplete) || errors.Is(err, ErrInterrupted) || !errors.As(err, &incomplete) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range incomplete.Failed {
		names = append(names, e.Path+": "+e.Reason.String())
	}
	if got := strings.Join(names, ", "); got != "d: permission was denied, d/kept: permission was denied, "+
		"socket: it is neither a file nor a directory nor a link, y: an unknown reason" {
		t.Error(got)
	}
	if want := `polyseal: the tree is not complete: 4 could not be taken, the first is "d": permission was denied`; err.Error() != want {
		t.Error(err)
	}
	m.is(tree, "d/kept", "of an earlier run")
	for _, path := range []string{"gone", "was", "socket"} {
		if _, err := tree.WriteFile(io.Discard, path); err != ErrNoEntry {
			t.Errorf("%s: %v", path, err)
		}
	}
	if tree.Entry("gone") != nil || tree.Entry("socket") == nil {
		t.Error("a deleted file is contents of the tree, or a failure is not named")
	}
	m.put("socket.polyseal", nil)
	delete(m.files, "d/kept.polyseal")
	m.compare(tree, []string{"d/kept.polyseal"}, []string{"socket.polyseal"})
}

// interrupted is a tree with two manifests, and the new files in the update's
// directory.
func interrupted(t *testing.T, number uint64, previous func(*ManifestIdentity)) *treeMaker {
	m := newTree(t, "")
	same := m.file("same.polyseal", "same", "same")
	replaced := m.file("replaced.polyseal", "replaced", "old")
	gone := m.file("gone.polyseal", "gone", "gone")
	becomes := m.file("becomes.polyseal", "becomes", "a file")
	long := m.file("long.polyseal", "long", strings.Repeat("old", 3000))
	again := m.file("again.polyseal", "again", "deleted")
	own := *m.manifest(manifestName, manifestOf(4, nil, deleted(again), becomes, gone, long, replaced, same))
	same.State = StateUnchanged
	again = m.file("", "again", "back again")
	inside := m.file("", "becomes/inside", "a directory now")
	longer := m.file("", "long", strings.Repeat("newer", 3000))
	update := m.file("", "replaced", "newer")
	added := m.file("", "zadded", "added")
	previous(&own)
	m.manifest(comingManifest, manifestOf(number, &own, again, Entry{Path: "becomes", Type: fs.ModeDir}, inside, deleted(gone), longer, update, same, added))
	return m
}

func TestTreeInterrupted(t *testing.T) {
	for number, previous := range map[uint64]func(*ManifestIdentity){
		5: func(*ManifestIdentity) {},
		1: func(own *ManifestIdentity) { own.KeyCommitment = [32]byte{} },
	} {
		m := interrupted(t, number, previous)
		tree := m.open()
		err := tree.Incomplete()
		if !errors.Is(err, ErrInterrupted) || errors.Is(err, ErrIncomplete) || !tree.Interrupted || tree.Manifest.Number != number {
			t.Fatalf("%v, number %d", err, tree.Manifest.Number)
		}
		m.compare(tree, nil, nil)
		update := updatePlace(tree.Entry("replaced")).name
		for step := range 3 {
			m.is(tree, "same", "same")
			m.is(tree, "becomes/inside", "a directory now")
			m.is(tree, "zadded", "added")
			for _, path := range []string{"gone", "becomes"} {
				if _, err := tree.WriteFile(io.Discard, path); err != ErrNoEntry {
					t.Errorf("%s: %v", path, err)
				}
			}
			switch step {
			case 0:
				m.is(tree, "replaced", "newer")
				// Some files are in their places.
				old := m.files["replaced.polyseal"]
				m.files["replaced.polyseal"] = m.files[update]
				delete(m.files, update)
				m.is(tree, "replaced", "newer")
				m.files["replaced.polyseal"] = old
			case 1:
				// The new file is lost, and the old one is there.
				m.is(tree, "replaced", "old")
				m.put(update, append([]byte(nil), m.files["same.polyseal"].Data...))
				m.is(tree, "replaced", "old")
				delete(m.files, update)
				data := m.files["replaced.polyseal"].Data
				data[len(data)-1] ^= 1
				if _, err := tree.WriteFile(io.Discard, "replaced"); !errors.As(err, new(*SegmentError)) {
					t.Error(err)
				}
			case 2:
				delete(m.files, "replaced.polyseal")
				if _, err := tree.WriteFile(io.Discard, "replaced"); !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
				m.put(".polyseal-update/other", nil)
				m.put(".polyseal-signed/other", nil)
				m.put("other", nil)
				m.compare(tree, []string{"replaced.polyseal"}, []string{"other"})
			}
		}
	}
}

// TestTreeInterruptedErrors has the error that says most.
func TestTreeInterruptedErrors(t *testing.T) {
	m := interrupted(t, 5, func(*ManifestIdentity) {})
	tree := m.open()
	fails := func(path string, is func(error) bool) {
		t.Helper()
		if _, err := tree.WriteFile(io.Discard, path); err == nil || !is(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	altered := func(err error) bool { return errors.As(err, new(*SegmentError)) }
	// The first segment is altered, and the salt is that of the old file.
	delete(m.files, updatePlace(tree.Entry("long")).name)
	m.files["long.polyseal"].Data[5000] ^= 1
	fails("long", altered)
	// The old file had been deleted before the update.
	m.is(tree, "again", "back again")
	delete(m.files, updatePlace(tree.Entry("again")).name)
	fails("again", func(err error) bool { return err == ErrDoesNotBelong })
	m.files["long.polyseal"] = m.files["same.polyseal"]
	fails("long", func(err error) bool { return err == ErrDoesNotBelong })
	// The new file is in its place.
	update := updatePlace(tree.Entry("zadded")).name
	m.files["zadded.polyseal"] = m.files[update]
	delete(m.files, update)
	m.is(tree, "zadded", "added")
	m.files["zadded.polyseal"].Data[4100] ^= 1
	fails("zadded", altered)
}

// TestTreeOtherComing has coming manifests that are not those of the tree.
func TestTreeOtherComing(t *testing.T) {
	same := func(*ManifestIdentity) {}
	for name, m := range map[string]*treeMaker{
		"the same number":     interrupted(t, 4, same),
		"two more":            interrupted(t, 6, same),
		"another salt":        interrupted(t, 5, func(own *ManifestIdentity) { own.FileSalt[0] ^= 1 }),
		"another commitment":  interrupted(t, 5, func(own *ManifestIdentity) { own.KeyCommitment[31] ^= 1 }),
		"another root":        interrupted(t, 5, func(own *ManifestIdentity) { own.PayloadRoot[0] ^= 1 }),
		"no commitment, salt": interrupted(t, 1, func(own *ManifestIdentity) { *own = ManifestIdentity{PayloadRoot: own.PayloadRoot} }),
		"no commitment, root": interrupted(t, 1, func(own *ManifestIdentity) { *own = ManifestIdentity{FileSalt: own.FileSalt} }),
		"none":                interrupted(t, 5, func(own *ManifestIdentity) { *own = ManifestIdentity{} }),
		"altered": func() *treeMaker {
			m := interrupted(t, 5, same)
			data := m.files[comingManifest].Data
			data[len(data)-1] ^= 1
			return m
		}(),
		"of another key": func() *treeMaker {
			m := interrupted(t, 5, same)
			m.put(comingManifest, seal(t, manifestOf(5, nil), &WriteOptions{Context: manifestContext(3, nil)}, GenerateKey()))
			return m
		}(),
		"the tree's own": func() *treeMaker {
			m := interrupted(t, 5, same)
			m.files[comingManifest] = m.files[manifestName]
			return m
		}(),
		"of version 2": func() *treeMaker {
			m := interrupted(t, 5, same)
			m.put(comingManifest, seal(t, append([]byte(manifestMagic), 2, 0, 'e', 0, 0, 0, 0, 0, 0, 0, 0),
				&WriteOptions{Context: manifestContext(2, nil)}, m.key))
			return m
		}(),
	} {
		tree := m.open()
		if err := tree.Incomplete(); err != nil || tree.Manifest.Number != 4 {
			t.Errorf("%s: %v, number %d", name, err, tree.Manifest.Number)
		}
		m.is(tree, "replaced", "old")
		m.is(tree, "gone", "gone")
		m.compare(tree, nil, nil)
	}
}

// TestTreeInterruptedUpgrade has a tree of version 2, which counts as number 0.
func TestTreeInterruptedUpgrade(t *testing.T) {
	m := newTree(t, "")
	m.put(manifestName, seal(t, append([]byte(manifestMagic), 2, 0, 'e', 0, 0, 0, 0, 0, 0, 0, 0),
		&WriteOptions{Context: manifestContext(2, nil)}, m.key))
	own := m.open()
	for number, want := range map[uint64]bool{1: true, 2: false} {
		m.manifest(comingManifest, manifestOf(number, own.Manifest.Identity, m.file("", "one", "contents")))
		tree := m.open()
		if tree.Interrupted != want {
			t.Errorf("number %d: %t", number, tree.Interrupted)
		}
		if want {
			m.is(tree, "one", "contents")
		}
	}
}

// unreadable is a file system in which one name cannot be opened.
type unreadable struct {
	fs.FS
	name string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.FS.Open(name)
}

func TestTreeUnreadable(t *testing.T) {
	m := interrupted(t, 5, func(*ManifestIdentity) {})
	fileKey := make([]byte, fileKeyLength)
	raw, _, err := newHeader(&WriteOptions{Context: manifestContext(3, nil)}, fileKey, []Recipient{m.key})
	if err != nil {
		t.Fatal(err)
	}
	copy(raw[atSuite:atContextTag], Suite("omd-sha256").field())
	unsealed, err := unsealedFor([]Recipient{m.key})
	if err != nil {
		t.Fatal(err)
	}
	if err := putStanzas(raw, fileKey, nil, unsealed); err != nil {
		t.Fatal(err)
	}
	own := m.files[comingManifest]
	m.put(comingManifest, append(raw, make([]byte, 100)...))
	if _, err := OpenTree(m.files, nil, m.key); !errors.Is(err, ErrUnsupportedSuite) {
		t.Error(err)
	}
	m.files[comingManifest] = own
	for _, name := range []string{manifestName, comingManifest} {
		if _, err := OpenTree(unreadable{m.files, name}, nil, m.key); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
	delete(m.files, comingManifest)
	m.files[comingManifest+"/x"] = &fstest.MapFile{}
	if _, err := OpenTree(m.files, nil, m.key); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

// TestTreeTampered alters each byte of a manifest that is bound to the tree.
func TestTreeTampered(t *testing.T) {
	m := newTree(t, "")
	one := m.file("one.polyseal", "one", "contents")
	m.manifest(manifestName, manifestOf(1, nil, one))
	whole := m.files[manifestName].Data
	for i := range whole {
		data := append([]byte(nil), whole...)
		data[i] ^= 1
		m.put(manifestName, data)
		if _, err := OpenTree(m.files, nil, m.key); err == nil {
			t.Fatalf("byte %d was altered", i)
		}
	}
	m.put(manifestName, whole)
	file := m.files["one.polyseal"].Data
	tree := m.open()
	for i := range file {
		file[i] ^= 1
		if _, err := tree.WriteFile(io.Discard, "one"); err == nil {
			t.Fatalf("byte %d was altered", i)
		}
		file[i] ^= 1
	}
	m.is(tree, "one", "contents")
}

func TestRootFS(t *testing.T) {
	name := "a/\xff"
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		name = "a/b"
	}
	m := newTree(t, "")
	file := m.file(name+".polyseal", name, "contents")
	m.manifest(manifestName, manifestOf(1, nil, Entry{Path: "a", Type: fs.ModeDir}, file))
	dir := t.TempDir()
	for name, file := range m.files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, file.Data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tree, err := OpenTree(RootFS(root), nil, m.key)
	if err != nil {
		t.Fatal(err)
	}
	m.is(tree, name, "contents")
	m.compare(tree, nil, nil)
}
