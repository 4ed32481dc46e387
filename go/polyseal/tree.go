package polyseal

// Reading an encrypted tree: sections 1, 7 and 8 of docs/spec/manifest.md.

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

const (
	treeSuffix     = ".polyseal"
	manifestName   = ".polyseal-manifest" + treeSuffix
	updateName     = ".polyseal-update"
	signedName     = ".polyseal-signed"
	comingManifest = updateName + "/manifest" + treeSuffix
)

var (
	// ErrIncomplete says that something could not be taken when the tree
	// was made. The error is an [IncompleteError].
	ErrIncomplete = errors.New("polyseal: the tree is not complete")
	// ErrInterrupted says that an update of the tree was interrupted, or is
	// under way. The error is an [IncompleteError].
	ErrInterrupted = errors.New("polyseal: an update of the tree was interrupted")
	// ErrNoEntry says that the tree has no file of that path.
	ErrNoEntry = errors.New("polyseal: the tree has no file of this path")
)

// An IncompleteError says why a tree is not complete. It is an [ErrIncomplete],
// an [ErrInterrupted], or both.
type IncompleteError struct {
	// Failed are the entries of what could not be taken.
	Failed []*Entry
	// Interrupted says that an update was interrupted.
	Interrupted bool
}

func (e *IncompleteError) Error() string {
	text := ErrIncomplete.Error()
	if e.Interrupted {
		text = ErrInterrupted.Error()
	}
	if len(e.Failed) > 0 {
		first := e.Failed[0]
		text += fmt.Sprintf(": %d could not be taken, the first is %q: %s", len(e.Failed), first.Path, first.Reason)
	}
	return text
}

// Is makes errors.Is find [ErrIncomplete] and [ErrInterrupted].
func (e *IncompleteError) Is(target error) bool {
	return target == ErrIncomplete && len(e.Failed) > 0 || target == ErrInterrupted && e.Interrupted
}

// A Tree is an encrypted tree whose manifest has opened. It is safe for
// concurrent use if its files are.
type Tree struct {
	// Manifest lists what is in the tree. If an update was interrupted, it
	// is the coming one.
	Manifest *Manifest
	// Interrupted says that an update was interrupted, or is under way. A
	// file of which the new contents are not there is then read as it was
	// before.
	Interrupted bool

	files      fs.FS
	options    ReadOptions
	identities []Identity
	entries    map[string]*Entry
	// before has the entries of the tree's own manifest, if there is a
	// coming one.
	before map[string]*Entry
}

// RootFS returns the files of a directory for [OpenTree]. Unlike those of
// [os.DirFS], their names need not be UTF-8.
func RootFS(root *os.Root) fs.FS { return rootFS{root} }

type rootFS struct{ root *os.Root }

func (r rootFS) Open(name string) (fs.File, error) { return r.root.Open(filepath.FromSlash(name)) }

// OpenTree opens the manifest of an encrypted tree, and the coming one of an
// update that was interrupted. The errors are those of [OpenManifest]; without
// a manifest it is an [fs.ErrNotExist]. Ask [Tree.Incomplete] as well.
//
// The files of the tree must be [io.ReaderAt], as those of [os.DirFS] and
// [RootFS] are.
func OpenTree(files fs.FS, opts *ManifestOptions, identities ...Identity) (*Tree, error) {
	if opts == nil {
		opts = new(ManifestOptions)
	}
	t := &Tree{files: files, options: ReadOptions{Context: opts.Context}, identities: identities}
	var err error
	if t.Manifest, err = t.manifest(manifestName, opts); err != nil {
		return nil, err
	}
	t.entries = t.Manifest.byPath()
	coming, err := t.manifest(comingManifest, opts)
	switch {
	case err == nil:
		if coming.follows(t.Manifest) {
			t.Manifest, t.Interrupted = coming, true
			t.entries, t.before = coming.byPath(), t.entries
		}
	case errors.As(err, new(*sourceError)) && !errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrUnsupportedSuite):
		// Nobody knows whether it follows.
		return nil, err
	}
	return t, nil
}

func (m *Manifest) byPath() map[string]*Entry {
	entries := make(map[string]*Entry, len(m.Entries))
	for i := range m.Entries {
		entries[m.Entries[i].Path] = &m.Entries[i]
	}
	return entries
}

// follows says whether m is the coming manifest of a tree (section 8).
func (m *Manifest) follows(own *Manifest) bool {
	if m.Previous == nil {
		return false
	}
	previous := *m.Previous
	if previous.KeyCommitment == [32]byte{} {
		// The writer could not open the tree's manifest.
		previous.KeyCommitment = own.Identity.KeyCommitment
		return previous == *own.Identity
	}
	return previous == *own.Identity && m.Number == own.Number+1
}

// A sourceError is not about what a file says.
type sourceError struct{ error }

func (e *sourceError) Unwrap() error { return e.error }

// treeSource is an open file of a tree.
type treeSource struct {
	io.ReaderAt
	io.Closer
	size int64
}

func (s *treeSource) ReadAt(b []byte, off int64) (int, error) {
	n, err := s.ReaderAt.ReadAt(b, off)
	if err != nil && err != io.EOF {
		err = &sourceError{err}
	}
	return n, err
}

func (t *Tree) source(name string) (*treeSource, error) {
	file, err := t.files.Open(name)
	if err != nil {
		return nil, &sourceError{err}
	}
	info, err := file.Stat()
	reader, ok := file.(io.ReaderAt)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	case !ok:
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("no file that is an io.ReaderAt")}
	default:
		return &treeSource{reader, file, info.Size()}, nil
	}
	file.Close()
	return nil, &sourceError{err}
}

func (t *Tree) manifest(name string, opts *ManifestOptions) (*Manifest, error) {
	src, err := t.source(name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return OpenManifest(src, src.size, opts, t.identities...)
}

// Incomplete returns nil for a tree of which all could be taken and no update
// was interrupted, and otherwise an [IncompleteError]. It does not look at the
// files: see [Tree.Compare] and [Tree.WriteFile].
func (t *Tree) Incomplete() error {
	failed := t.Manifest.Failed()
	if len(failed) == 0 && !t.Interrupted {
		return nil
	}
	return &IncompleteError{failed, t.Interrupted}
}

// Entry returns what the tree has under a path, or nil if it has nothing: an
// entry of [StateDeleted] is no contents of the tree.
func (t *Tree) Entry(path string) *Entry {
	if e := t.entries[path]; e != nil && e.State != StateDeleted {
		return e
	}
	return nil
}

// A place is where the file of an entry may be.
type place struct {
	name  string
	entry *Entry
}

func updatePlace(e *Entry) place {
	return place{updateName + "/" + hex.EncodeToString(e.FileSalt[:]) + treeSuffix, e}
}

func isFile(e *Entry) bool { return e != nil && e.Type == 0 && e.State != StateDeleted }

// places are those of a file. All but the first are of an interrupted update.
func (t *Tree) places(e *Entry) []place {
	places := []place{{e.Path + treeSuffix, e}}
	if t.Interrupted {
		places = append(places, updatePlace(e))
		if before := t.before[e.Path]; isFile(before) {
			places = append(places, place{e.Path + treeSuffix, before})
		}
	}
	return places
}

// WriteFile writes the plaintext of a file of the tree to w, and returns the
// entry that the file belongs to. w must be discarded if there is an error:
// [ErrNoEntry], an [fs.ErrNotExist] if the file is missing, or one of [Open] or
// [File.WriteEntry].
//
// If an update was interrupted, the entry may be that of the manifest before,
// and the file is read twice.
func (t *Tree) WriteFile(w io.Writer, path string) (*Entry, error) {
	e := t.Entry(path)
	if !isFile(e) {
		return nil, ErrNoEntry
	}
	places := t.places(e)
	if len(places) == 1 {
		return e, t.write(w, places[0])
	}
	var err error
	for _, p := range places {
		failure := t.write(io.Discard, p)
		if failure == nil {
			return p.entry, t.write(w, p)
		}
		if err == nil || aboutPlace(err) && !errors.Is(failure, fs.ErrNotExist) {
			err = failure
		}
	}
	return nil, err
}

// aboutPlace says whether a file is elsewhere, or is of the other manifest.
func aboutPlace(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDoesNotBelong)
}

func (t *Tree) write(w io.Writer, p place) error {
	src, err := t.source(p.name)
	if err != nil {
		return err
	}
	defer src.Close()
	f, err := Open(src, src.size, &t.options, t.identities...)
	if err != nil {
		return err
	}
	return f.WriteEntry(w, p.entry)
}

// Compare returns which encrypted files the tree lacks, and which are there
// without an entry, by their names there. It opens none. Those without an entry
// are no contents of the tree.
func (t *Tree) Compare() (missing, strange []string, err error) {
	there := map[string]bool{}
	err = fs.WalkDir(t.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			there[name] = true
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	known := map[string]bool{manifestName: true}
	for _, entries := range []map[string]*Entry{t.entries, t.before} {
		for path, e := range entries {
			if e.Type == 0 {
				known[path+treeSuffix] = true
			}
		}
	}
	for _, e := range t.entries {
		if isFile(e) && !there[e.Path+treeSuffix] && !(t.Interrupted && there[updatePlace(e).name]) {
			missing = append(missing, e.Path+treeSuffix)
		}
	}
	for name := range there {
		own := strings.HasPrefix(name, updateName+"/") || strings.HasPrefix(name, signedName+"/")
		if !known[name] && !own {
			strange = append(strange, name)
		}
	}
	sort.Strings(missing)
	sort.Strings(strange)
	return missing, strange, nil
}
