package polyseal

// The manifest of an encrypted tree: docs/spec/manifest.md. This reads
// manifests of versions 3, 2 and 1, and says whether a file belongs to its
// entry. It writes none.

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"
)

const (
	manifestMagic   = "polyseal-manifest\n"
	manifestVersion = 3

	// A reader's memory is bounded: an entry takes hundreds of bytes, and may have
	// 20 in the manifest.
	manifestMaximum = 256 << 20
	entriesMaximum  = 1 << 20
)

var (
	// ErrUnboundContents says that a manifest is of version 1, which does
	// not bind the contents of files.
	ErrUnboundContents = errors.New("polyseal: the manifest does not bind contents")
	// ErrDoesNotBelong says that a file is authentic, and not that of the
	// entry.
	ErrDoesNotBelong = errors.New("polyseal: the file does not belong to its entry in the manifest")
)

// A ManifestError says which rule a manifest breaks.
type ManifestError struct{ Reason string }

func (e *ManifestError) Error() string { return "polyseal: bad manifest: " + e.Reason }

// The reasons of a ManifestError.
const (
	reasonMagic   = "it does not begin as a manifest"
	reasonVersion = "a version that is unknown"
	reasonLength  = "it ends too early, or something follows"
	reasonType    = "an entry of no type"
	reasonPath    = "a path or a target that is none"
	reasonNumber  = "the number 0"
	reasonState   = "a state or a reason that the entry cannot have"
	reasonOrder   = "paths are not in order"
	reasonParent  = "a path is not in a directory"
	reasonMode    = "a mode with other bits than permissions"
	reasonTime    = "a time that an entry cannot have"
	reasonCount   = "another number of entries, or of those that failed"
	reasonTooLong = "more than 256 MiB, or more than 1048576 entries, which are too many here"
)

// A Manifest is the list of what is in a tree.
type Manifest struct {
	// Version is 3 or 2, or 1 if the caller takes that.
	Version int
	// Number is 1 for the first manifest of a tree, and then one more than
	// that of the manifest before. It is 0 before version 3. A program that
	// knows a number that the tree has had notices an older tree.
	Number uint64
	// Previous is the manifest before, or nil if there is none or it is not
	// known.
	Previous *ManifestIdentity
	// Identity is that of this manifest, if [OpenManifest] has opened it.
	Identity *ManifestIdentity
	// Entries are in the order of their paths.
	Entries []Entry
}

// A ManifestIdentity tells an encrypted manifest from all others. It stays when
// the manifest gets other recipients.
type ManifestIdentity struct{ FileSalt, KeyCommitment, PayloadRoot [32]byte }

// Complete says whether all that is in the tree could be taken: no entry is
// [StateFailed].
func (m *Manifest) Complete() bool { return len(m.Failed()) == 0 }

// Failed returns the entries of what could not be taken.
func (m *Manifest) Failed() (failed []*Entry) {
	for i := range m.Entries {
		if m.Entries[i].State == StateFailed {
			failed = append(failed, &m.Entries[i])
		}
	}
	return failed
}

// A State says from which run an entry is.
type State uint8

// The states of entries. Before version 3 all entries are [StateNew].
const (
	// StateNew is as the run that made the manifest found it.
	StateNew State = iota
	// StateUnchanged is a file that has not changed since the run that
	// encrypted it.
	StateUnchanged
	// StateFailed could not be taken. There is what an earlier run has
	// taken of it, if anything. The contents of a directory could not be
	// listed.
	StateFailed
	// StateDeleted has been deleted since, and is no contents of the tree.
	StateDeleted
)

// A FailureReason says why an entry could not be taken. Others than those below
// may occur.
type FailureReason uint8

// The reasons for [StateFailed].
const (
	FailurePermission FailureReason = iota + 1
	FailureRead
	FailureWrite
	FailureType
	FailureChanged
	FailureName
)

func (r FailureReason) String() string {
	switch r {
	case FailurePermission:
		return "permission was denied"
	case FailureRead:
		return "it could not be read"
	case FailureWrite:
		return "its encrypted file could not be written"
	case FailureType:
		return "it is neither a file nor a directory nor a link"
	case FailureChanged:
		return "it changed while it was read"
	case FailureName:
		return "its name cannot be had in the tree"
	}
	return "an unknown reason"
}

// An Entry is a file, a directory or a symbolic link of a tree, or says that
// the tree has nothing of something.
type Entry struct {
	// Version is that of the manifest.
	Version int
	// Type is 0 for a file, fs.ModeDir, fs.ModeSymlink, or fs.ModeIrregular
	// for something of which the tree has nothing.
	Type fs.FileMode
	// Path is relative to the root. It has names of any encoding, with
	// slashes in between.
	Path string
	// State says from which run the entry is.
	State State
	// Reason is why it could not be taken. It is 0 unless State is
	// StateFailed.
	Reason FailureReason
	// Mode is the permissions.
	Mode fs.FileMode
	// Seconds since 1970 and Nanoseconds are when it was modified.
	Seconds     int64
	Nanoseconds uint32
	// Target is that of a link.
	Target string
	// Size and FileSalt are those of a file.
	Size     uint64
	FileSalt [32]byte
	// KeyCommitment and PayloadRoot bind the contents of a file. Version 1
	// has none.
	KeyCommitment, PayloadRoot [32]byte
}

// Bound says whether the entry binds the contents of a file.
func (e *Entry) Bound() bool { return e.Version > 1 }

// ModTime is when it was modified.
func (e *Entry) ModTime() time.Time { return time.Unix(e.Seconds, int64(e.Nanoseconds)) }

// StaysInside says whether a link cannot lead out of the tree (section 7).
func (e *Entry) StaysInside() bool {
	if strings.HasPrefix(e.Target, "/") {
		return false
	}
	room := strings.Count(e.Path, "/")
	begun := false
	for name := range strings.SplitSeq(e.Target, "/") {
		switch name {
		case "", ".":
		case "..":
			if begun || room == 0 {
				return false
			}
			room--
		default:
			begun = true
		}
	}
	return true
}

// ManifestOptions are what a reader of manifests may be told.
type ManifestOptions struct {
	// Context is that of the files of the tree.
	Context []byte
	// AllowUnboundContents takes version 1 as well, in which anyone who can
	// open a file can replace its contents.
	AllowUnboundContents bool
}

// OpenManifest opens the encrypted manifest of a tree, all of it. Its errors
// are those of [Open], a [ManifestError] and [ErrUnboundContents].
func OpenManifest(src io.ReaderAt, size int64, opts *ManifestOptions, identities ...Identity) (*Manifest, error) {
	if opts == nil {
		opts = new(ManifestOptions)
	}
	// A manifest of version 1 has the context of the files.
	f, which, err := openWith(src, size, new(ReadOptions), identities,
		manifestContext(3, opts.Context), manifestContext(2, opts.Context), opts.Context)
	if err != nil {
		return nil, err
	}
	if f.Size() > manifestMaximum {
		return nil, &ManifestError{reasonTooLong}
	}
	data := bytes.NewBuffer(make([]byte, 0, f.Size()))
	root := newPayloadRoot(manifestVersion)
	if err := f.writeTo(data, root); err != nil {
		return nil, err
	}
	m, err := ParseManifest(data.Bytes(), opts.AllowUnboundContents)
	if err != nil {
		return nil, err
	}
	if m.Version != manifestVersion-which {
		return nil, ErrContextDiffers
	}
	m.Identity = &ManifestIdentity{f.header.FileSalt(), f.payload.commitment, root.sum()}
	return m, nil
}

// manifestContext is the context of a manifest of version 2 or 3.
func manifestContext(version int, files []byte) []byte {
	context := fmt.Appendf(nil, "polyseal-manifest/%d", version)
	if len(files) > 0 {
		context = append(append(context, ':'), files...)
	}
	return context
}

// ParseManifest reads the plaintext of a manifest. Use [OpenManifest] for one
// that is encrypted: it checks the context, too.
func ParseManifest(data []byte, allowUnboundContents bool) (*Manifest, error) {
	return parseManifest(data, allowUnboundContents, entriesMaximum)
}

func parseManifest(data []byte, allowUnboundContents bool, maximum int) (*Manifest, error) {
	p := &manifestParser{rest: data, directories: map[string]State{}}
	if !p.begins() {
		return nil, &ManifestError{reasonMagic}
	}
	m := &Manifest{Version: int(p.number(2))}
	switch {
	case p.short:
		return nil, &ManifestError{reasonLength}
	case m.Version < 1 || m.Version > manifestVersion:
		return nil, &ManifestError{reasonVersion}
	case m.Version == 1 && !allowUnboundContents:
		return nil, ErrUnboundContents
	}
	if m.Version >= 3 {
		m.Number = p.number(8)
		previous := ManifestIdentity{p.hash(), p.hash(), p.hash()}
		switch {
		case p.short:
			return nil, &ManifestError{reasonLength}
		case m.Number == 0:
			return nil, &ManifestError{reasonNumber}
		case previous != ManifestIdentity{}:
			m.Previous = &previous
		}
	}
	for {
		e, reason := p.entry(m.Version)
		if p.short {
			reason = reasonLength
		}
		if reason != "" {
			return nil, &ManifestError{reason}
		}
		if e == nil {
			break
		}
		if len(m.Entries) == maximum {
			return nil, &ManifestError{reasonTooLong}
		}
		m.Entries = append(m.Entries, *e)
	}
	count := p.number(8)
	failed := uint64(len(m.Failed()))
	if m.Version >= 3 {
		failed -= p.number(8)
	}
	switch {
	case p.short || len(p.rest) > 0:
		return nil, &ManifestError{reasonLength}
	case count != uint64(len(m.Entries)) || failed != 0:
		return nil, &ManifestError{reasonCount}
	}
	return m, nil
}

// manifestParser goes through a manifest. short says that it ended too early:
// what was read since then is zeros.
type manifestParser struct {
	rest        []byte
	short       bool
	before      string
	directories map[string]State
}

func (p *manifestParser) begins() bool {
	rest, ok := bytes.CutPrefix(p.rest, []byte(manifestMagic))
	p.rest = rest
	return ok
}

func (p *manifestParser) bytes(n int) []byte {
	if p.short || n > len(p.rest) {
		p.short = true
		return nil
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

func (p *manifestParser) number(n int) uint64 {
	var b [8]byte
	copy(b[:], p.bytes(n))
	return binary.LittleEndian.Uint64(b[:])
}

func (p *manifestParser) hash() (h [32]byte) {
	copy(h[:], p.bytes(32))
	return h
}

func (p *manifestParser) text() string { return string(p.bytes(int(p.number(2)))) }

// entry reads an entry, or nil at the end, and says which rule it breaks.
func (p *manifestParser) entry(version int) (*Entry, string) {
	e := &Entry{Version: version}
	switch kind := p.number(1); {
	case kind == 'e':
		return nil, ""
	case kind == 'f':
	case kind == 'd':
		e.Type = fs.ModeDir
	case kind == 'l':
		e.Type = fs.ModeSymlink
	case kind == 'x' && version >= 3:
		e.Type = fs.ModeIrregular
	default:
		return nil, reasonType
	}
	e.Path = p.text()
	if version >= 3 {
		e.State = State(p.number(1))
		e.Reason = FailureReason(p.number(1))
	}
	mode := p.number(2)
	e.Mode = fs.FileMode(mode & 0o777)
	e.Seconds = int64(p.number(8))
	e.Nanoseconds = uint32(p.number(4))
	switch e.Type {
	case 0:
		e.Size = p.number(8)
		e.FileSalt = p.hash()
		if version >= 2 {
			e.KeyCommitment = p.hash()
			e.PayloadRoot = p.hash()
		}
		if version >= 3 {
			p.bytes(16) // the writer's stamp
		}
	case fs.ModeSymlink:
		e.Target = p.text()
	}
	parent, inDirectory := p.parent(e.Path)
	switch {
	case !isPath(e.Path), e.Type == fs.ModeSymlink && (e.Target == "" || strings.Contains(e.Target, "\x00")):
		return nil, reasonPath
	case p.before != "" && comparePaths(p.before, e.Path) >= 0:
		return nil, reasonOrder
	case !inDirectory:
		return nil, reasonParent
	case !e.mayHaveState() || (e.State == StateFailed) != (e.Reason != 0),
		parent == StateDeleted && e.State != StateDeleted:
		return nil, reasonState
	case mode > 0o777 || mode != 0 && e.Type != 0 && e.Type != fs.ModeDir:
		return nil, reasonMode
	case e.Nanoseconds >= 1e9,
		e.Type == fs.ModeIrregular && (e.Seconds != 0 || e.Nanoseconds != 0):
		return nil, reasonTime
	}
	p.before = e.Path
	if e.Type == fs.ModeDir {
		p.directories[e.Path] = e.State
	}
	return e, ""
}

// mayHaveState says whether the state is one of the entry's type.
func (e *Entry) mayHaveState() bool {
	switch e.State {
	case StateNew:
		return e.Type != fs.ModeIrregular
	case StateUnchanged:
		return e.Type == 0
	case StateFailed:
		return true
	case StateDeleted:
		return e.Type == 0 || e.Type == fs.ModeDir
	}
	return false
}

func isPath(path string) bool {
	if strings.Contains(path, "\x00") {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

// comparePaths compares name by name: the slash is less than all that a name
// may have.
func comparePaths(a, b string) int {
	return strings.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}

// parent returns the state of the directory that the path is in, and whether
// there is one. The root has no entry.
func (p *manifestParser) parent(path string) (State, bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return StateNew, true
	}
	state, ok := p.directories[path[:i]]
	return state, ok
}

// keyCommitment is that of section 5.
func keyCommitment(raw, fileKey []byte) [32]byte {
	info := "polyseal-manifest/2 file key" + string(fixedFields(raw))
	return [32]byte(expand(fileKey, raw[atFileSalt:atSuite], info, 32))
}

// payloadRoot computes the root of section 6 from segments as they are stored,
// or that of section 9.
type payloadRoot struct {
	version int
	n       uint64
	// hashes has the leaves in version 2. Later it has the node of each
	// whole tree of 2^k leaves, the largest tree first.
	hashes []byte
}

var (
	leafHash = blakeDeriveKey("polyseal-manifest/2 leaf")
	nodeHash = blakeDeriveKey("polyseal-manifest/3 node")
)

func newPayloadRoot(version int) *payloadRoot { return &payloadRoot{version: version} }

func (r *payloadRoot) add(segment []byte) { r.addLeaf(leafHash(segment)) }

func (r *payloadRoot) addLeaf(leaf [32]byte) {
	r.hashes = append(r.hashes, leaf[:]...)
	r.n++
	if r.version == 2 {
		return
	}
	for whole := r.n; whole%2 == 0; whole /= 2 {
		r.join()
	}
}

// join makes one node of the last two hashes.
func (r *payloadRoot) join() {
	at := len(r.hashes) - 64
	node := nodeHash(r.hashes[at:])
	r.hashes = append(r.hashes[:at], node[:]...)
}

// tree returns the hash over all leaves. Nothing can be added after it.
func (r *payloadRoot) tree() [32]byte {
	for len(r.hashes) > 32 {
		r.join()
	}
	return [32]byte(r.hashes)
}

// sum returns the root. Nothing can be added after it.
func (r *payloadRoot) sum() [32]byte {
	if r.version > 2 {
		r.tree()
	}
	root := blakeDeriveKey(fmt.Sprintf("polyseal-manifest/%d root", r.version))
	return root(binary.LittleEndian.AppendUint64(r.hashes, r.n))
}

// WriteEntry writes all of the plaintext to w, and says whether the file
// belongs to its entry in a manifest. w must be discarded if there is an
// error: only the end of the file shows whether it belongs. The error is then
// [ErrDoesNotBelong], a [SegmentError], or that of the source or of w.
//
// For an entry of version 2 it keeps 32 bytes for each segment.
func (f *File) WriteEntry(w io.Writer, e *Entry) error {
	salt := f.header.FileSalt()
	same := subtle.ConstantTimeCompare(salt[:], e.FileSalt[:])
	if same == 0 || e.Type != 0 || e.Size > math.MaxInt64 || int64(e.Size) != f.size {
		return ErrDoesNotBelong
	}
	if !e.Bound() {
		return f.writeTo(w, nil)
	}
	if subtle.ConstantTimeCompare(f.payload.commitment[:], e.KeyCommitment[:]) == 0 {
		return ErrDoesNotBelong
	}
	root := newPayloadRoot(e.Version)
	if err := f.writeTo(w, root); err != nil {
		return err
	}
	if sum := root.sum(); subtle.ConstantTimeCompare(sum[:], e.PayloadRoot[:]) == 0 {
		return ErrDoesNotBelong
	}
	return nil
}

// writeTo writes all of the plaintext to w, and adds the segments to the root
// if there is one.
func (f *File) writeTo(w io.Writer, root *payloadRoot) error {
	buffer := make([]byte, min(int64(f.payload.stored()), f.length))
	var n nonce
	for i := range f.last + 1 {
		sealed := buffer[:f.plaintextLength(i)+f.payload.tag]
		if err := f.read(sealed, i); err != nil {
			return err
		}
		if root != nil {
			root.add(sealed)
		}
		plaintext, err := f.payload.open(&n, sealed[:0], sealed, i, i == f.last)
		if err != nil {
			return err
		}
		if _, err := writeAll(w, plaintext); err != nil {
			return err
		}
	}
	return nil
}
