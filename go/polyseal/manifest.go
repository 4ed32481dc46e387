package polyseal

// The manifest of an encrypted tree: docs/spec/manifest.md. This reads
// manifests, and says whether a file belongs to its entry. It writes none.

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"
)

const (
	manifestMagic   = "polyseal-manifest\n"
	manifestContext = "polyseal-manifest/2"

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
	reasonOrder   = "paths are not in order"
	reasonParent  = "a path is not in a directory"
	reasonMode    = "a mode with other bits than permissions"
	reasonTime    = "a second with too many nanoseconds"
	reasonCount   = "another number of entries"
	reasonTooLong = "more than 256 MiB, or more than 1048576 entries, which are too many here"
)

// A Manifest is the list of what is in a tree.
type Manifest struct {
	// Version is 2, or 1 if the caller takes that.
	Version int
	// Entries are in the order of their paths.
	Entries []Entry
}

// An Entry is a file, a directory or a symbolic link of a tree.
type Entry struct {
	// Type is 0 for a file, fs.ModeDir or fs.ModeSymlink.
	Type fs.FileMode
	// Path is relative to the root. It has names of any encoding, with
	// slashes in between.
	Path string
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
	// KeyCommitment and PayloadRoot bind the contents of a file, if Bound
	// is true: in version 2.
	Bound                      bool
	KeyCommitment, PayloadRoot [32]byte
}

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
	context := []byte(manifestContext)
	if len(opts.Context) > 0 {
		context = append(append(context, ':'), opts.Context...)
	}
	version := 2
	f, err := Open(src, size, &ReadOptions{Context: context}, identities...)
	if errors.Is(err, ErrContextDiffers) || errors.Is(err, ErrContextUnexpected) {
		// A manifest of version 1 has the context of the files.
		version = 1
		f, err = Open(src, size, &ReadOptions{Context: opts.Context}, identities...)
	}
	if err != nil {
		return nil, err
	}
	if f.Size() > manifestMaximum {
		return nil, &ManifestError{reasonTooLong}
	}
	data, err := io.ReadAll(f.NewReader())
	if err != nil {
		return nil, err
	}
	m, err := ParseManifest(data, opts.AllowUnboundContents)
	if err == nil && m.Version != version {
		return nil, ErrContextDiffers
	}
	return m, err
}

// ParseManifest reads the plaintext of a manifest. Use [OpenManifest] for one
// that is encrypted: it checks the context, too.
func ParseManifest(data []byte, allowUnboundContents bool) (*Manifest, error) {
	return parseManifest(data, allowUnboundContents, entriesMaximum)
}

func parseManifest(data []byte, allowUnboundContents bool, maximum int) (*Manifest, error) {
	p := &manifestParser{rest: data, directories: map[string]bool{}}
	if !p.begins() {
		return nil, &ManifestError{reasonMagic}
	}
	version := p.number(2)
	switch {
	case p.short:
		return nil, &ManifestError{reasonLength}
	case version != 1 && version != 2:
		return nil, &ManifestError{reasonVersion}
	case version == 1 && !allowUnboundContents:
		return nil, ErrUnboundContents
	}
	m := &Manifest{Version: int(version)}
	for {
		e, reason := p.entry(version == 2)
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
	switch {
	case p.short || len(p.rest) > 0:
		return nil, &ManifestError{reasonLength}
	case count != uint64(len(m.Entries)):
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
	directories map[string]bool
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
func (p *manifestParser) entry(bound bool) (*Entry, string) {
	e := new(Entry)
	switch p.number(1) {
	case 'e':
		return nil, ""
	case 'f':
	case 'd':
		e.Type = fs.ModeDir
	case 'l':
		e.Type = fs.ModeSymlink
	default:
		return nil, reasonType
	}
	e.Path = p.text()
	mode := p.number(2)
	e.Mode = fs.FileMode(mode & 0o777)
	e.Seconds = int64(p.number(8))
	e.Nanoseconds = uint32(p.number(4))
	if p.short {
		return nil, reasonLength
	}
	switch {
	case !isPath(e.Path):
		return nil, reasonPath
	case p.before != "" && comparePaths(p.before, e.Path) >= 0:
		return nil, reasonOrder
	case !p.inDirectory(e.Path):
		return nil, reasonParent
	case mode > 0o777 || mode != 0 && e.Type == fs.ModeSymlink:
		return nil, reasonMode
	case e.Nanoseconds >= 1e9:
		return nil, reasonTime
	}
	p.before = e.Path
	switch e.Type {
	case fs.ModeDir:
		p.directories[e.Path] = true
	case fs.ModeSymlink:
		if e.Target = p.text(); !p.short && (e.Target == "" || strings.Contains(e.Target, "\x00")) {
			return nil, reasonPath
		}
	default:
		e.Size = p.number(8)
		e.FileSalt = p.hash()
		if e.Bound = bound; bound {
			e.KeyCommitment = p.hash()
			e.PayloadRoot = p.hash()
		}
	}
	return e, ""
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

func (p *manifestParser) inDirectory(path string) bool {
	i := strings.LastIndexByte(path, '/')
	return i < 0 || p.directories[path[:i]]
}

// keyCommitment is that of section 5.
func keyCommitment(raw, fileKey []byte) [32]byte {
	info := "polyseal-manifest/2 file key" + string(fixedFields(raw))
	return [32]byte(expand(fileKey, raw[atFileSalt:atSuite], info, 32))
}

// payloadRoot computes the root of section 6 from segments as they are stored.
type payloadRoot struct {
	leaf   func([]byte) [32]byte
	leaves []byte
}

func newPayloadRoot() *payloadRoot {
	return &payloadRoot{leaf: blakeDeriveKey("polyseal-manifest/2 leaf")}
}

func (r *payloadRoot) add(segment []byte) {
	leaf := r.leaf(segment)
	r.leaves = append(r.leaves, leaf[:]...)
}

func (r *payloadRoot) sum() [32]byte {
	n := uint64(len(r.leaves) / 32)
	return blakeDeriveKey("polyseal-manifest/2 root")(binary.LittleEndian.AppendUint64(r.leaves, n))
}

// WriteEntry writes all of the plaintext to w, and says whether the file
// belongs to its entry in a manifest. w must be discarded if there is an
// error: only the end of the file shows whether it belongs. The error is then
// [ErrDoesNotBelong], a [SegmentError], or that of the source or of w.
//
// It keeps 32 bytes for each segment.
func (f *File) WriteEntry(w io.Writer, e *Entry) error {
	salt := f.header.FileSalt()
	same := subtle.ConstantTimeCompare(salt[:], e.FileSalt[:])
	if same == 0 || e.Type != 0 || e.Size > math.MaxInt64 || int64(e.Size) != f.size {
		return ErrDoesNotBelong
	}
	if e.Bound && subtle.ConstantTimeCompare(f.payload.commitment[:], e.KeyCommitment[:]) == 0 {
		return ErrDoesNotBelong
	}
	root := newPayloadRoot()
	buffer := make([]byte, min(int64(f.payload.stored()), f.length))
	var n nonce
	for i := range f.last + 1 {
		sealed := buffer[:f.plaintextLength(i)+f.payload.tag]
		if err := f.read(sealed, i); err != nil {
			return err
		}
		if e.Bound {
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
	if sum := root.sum(); e.Bound && subtle.ConstantTimeCompare(sum[:], e.PayloadRoot[:]) == 0 {
		return ErrDoesNotBelong
	}
	return nil
}
