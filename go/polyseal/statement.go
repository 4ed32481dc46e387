package polyseal

// Statements about encrypted files: docs/spec/statement.md.

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	statementNamespace = "polyseal"
	// statementMaximum is the bytes of a text and its signatures.
	statementMaximum = 65536
	// hashGroup is the leaves that have one path.
	hashGroup = 32
	// groupsKept bounds the hashes that stay in memory.
	groupsKept = 64
	hashLength = 32
)

// The errors for a statement. Besides, there is [NotAsSignedError].
var (
	// ErrStatementVersion says that the version of a statement is not 1.
	ErrStatementVersion = errors.New("polyseal: unsupported version of a statement")
	// ErrStatementText says that a statement is not in its one spelling.
	ErrStatementText = errors.New("polyseal: the statement is damaged")
	// ErrStatementSignature says that a statement has no signature, or one
	// that is none.
	ErrStatementSignature = errors.New("polyseal: the statement has no signature that can be read")
	// ErrStatementHashes says that the hashes behind a statement are not
	// those of the payload that is signed.
	ErrStatementHashes = errors.New("polyseal: the statement has not the hashes of its payload")
	// ErrNotAccepted says that no allowed signer has signed a statement.
	ErrNotAccepted = errors.New("polyseal: no signature of the statement is one of an allowed signer")
	// ErrOtherFile says that a statement is about another file.
	ErrOtherFile = errors.New("polyseal: the statement is about another file")
)

// A NotAsSignedError says which segment, counted from 0, is not the one that
// was signed. It may be missing, or be one too many.
type NotAsSignedError struct{ Number uint64 }

func (e *NotAsSignedError) Error() string {
	return fmt.Sprintf("polyseal: segment %d is not the one that was signed", e.Number)
}

// A Statement says that somebody stands for an encrypted file: an allowed
// signer has signed it. With [ReadOptions] it opens a file that is as it was
// signed, and nothing else. It is safe for concurrent use if its source is.
type Statement struct {
	// FileSalt is that of the file.
	FileSalt [32]byte
	// Time is when it was signed, as the signer says.
	Time time.Time
	// Signer is who has signed it.
	Signer Signer

	suite         Suite
	segmentSize   int
	payloadBytes  uint64
	payloadRoot   [32]byte
	contextTag    [32]byte
	boundToHeader bool
	bound         [32]byte
	segments      uint64
	stored        uint64
	hashes        io.ReaderAt
	groups        sync.Mutex
	recent        map[uint64][]byte
}

// The first line of any version, and the one spelling of version 1.
var (
	statementFirst = regexp.MustCompile(`^polyseal-statement [0-9]+\n`)
	statementText  = regexp.MustCompile(`^polyseal-statement 1
file-salt ([0-9a-f]{64})
suite ([^\n]+)
segment-bytes ([1-9][0-9]*)
payload-bytes (0|[1-9][0-9]*)
payload-root ([0-9a-f]{64})
context-tag ([0-9a-f]{64})
(holder|header) ([0-9a-f]{64})
time (0|[1-9][0-9]*)
$`)
)

// ReadStatement reads the statement F.polyseal.sig, of size bytes, about a file
// F.polyseal. At that time a signer of the list must be allowed; if by is not
// empty, it must be one of that name.
//
// The errors are [ErrStatementVersion], [ErrStatementText],
// [ErrStatementSignature], [ErrNotAccepted], [ErrStatementHashes], and those of
// src. Hashes are read from src when segments are.
func (s *Signers) ReadStatement(src io.ReaderAt, size int64, by string, at time.Time) (*Statement, error) {
	start := make([]byte, max(0, min(size, statementMaximum)))
	if err := readFullAt(src, start, 0); err != nil {
		return nil, err
	}
	text, signatures, end, err := splitStatement(start)
	if err != nil {
		return nil, err
	}
	st, err := parseStatement(text)
	if err != nil {
		return nil, err
	}
	var parsed []*sshSignature
	for _, body := range signatures {
		signature, ok := parseSSHSignature(body)
		if !ok {
			return nil, ErrStatementSignature
		}
		parsed = append(parsed, signature)
	}
	accepted := false
	for _, signature := range parsed {
		// A key that is not in the list is not computed with.
		signer, ok := s.accepted(signature.key, by, at)
		if accepted = ok && signature.verifies(text); accepted {
			st.Signer = *signer
			break
		}
	}
	if !accepted {
		return nil, ErrNotAccepted
	}
	if uint64(size)-uint64(end) != st.hashesLength() {
		return nil, ErrStatementHashes
	}
	st.hashes = io.NewSectionReader(src, int64(end), size-int64(end))
	return st, nil
}

// splitStatement returns the text, the bodies of the signatures in armour, and
// where the hashes begin.
func splitStatement(b []byte) (text []byte, signatures [][]byte, end int, err error) {
	end = bytes.Index(b, []byte(sshsigBegin))
	if end < 0 {
		return nil, nil, 0, ErrStatementSignature
	}
	text = b[:end]
	for bytes.HasPrefix(b[end:], []byte(sshsigBegin)) {
		body := b[end+len(sshsigBegin):]
		n := bytes.Index(body, []byte(sshsigEnd))
		if n < 0 {
			return nil, nil, 0, ErrStatementSignature
		}
		signatures = append(signatures, body[:n])
		end += len(sshsigBegin) + n + len(sshsigEnd)
	}
	return text, signatures, end, nil
}

func parseStatement(text []byte) (*Statement, error) {
	fields := statementText.FindSubmatch(text)
	if fields == nil {
		first := statementFirst.Find(text)
		if first != nil && string(first) != "polyseal-statement 1\n" {
			return nil, ErrStatementVersion
		}
		return nil, ErrStatementText
	}
	good := true
	hash := func(i int) (h [32]byte) {
		hex.Decode(h[:], fields[i])
		return h
	}
	number := func(i int, most uint64) uint64 {
		n, err := strconv.ParseUint(string(fields[i]), 10, 64)
		good = good && err == nil && n <= most
		return n
	}
	st := &Statement{
		FileSalt:      hash(1),
		suite:         Suite(fields[2]),
		segmentSize:   int(number(3, segmentMaximum)),
		payloadBytes:  number(4, math.MaxUint64),
		payloadRoot:   hash(5),
		contextTag:    hash(6),
		boundToHeader: string(fields[7]) == "header",
		bound:         hash(8),
		recent:        map[uint64][]byte{},
	}
	st.Time = time.Unix(int64(min(number(9, math.MaxUint64), math.MaxInt64)), 0)
	if !good || !st.suite.Known() || !validSegmentSize(uint64(st.segmentSize)) {
		return nil, ErrStatementText
	}
	st.stored = uint64(st.segmentSize + st.suite.TagSize())
	st.segments = max(1, st.payloadBytes/st.stored)
	if st.payloadBytes > st.segments*st.stored {
		st.segments++
	}
	return st, nil
}

// checkHeader refuses another header than that of the file.
func (st *Statement) checkHeader(h *Header) error {
	same := st.FileSalt == h.FileSalt() && st.suite == h.suite && st.segmentSize == h.SegmentSize() &&
		bytes.Equal(st.contextTag[:], h.raw[atContextTag:fixedLength])
	if !same || st.boundToHeader && st.bound != blakeDeriveKey("polyseal-statement/1 header")(h.raw) {
		return ErrOtherFile
	}
	return nil
}

// checkKey refuses another file key than that of the file, for a statement that
// is not bound to the header.
func (st *Statement) checkKey(raw, fileKey []byte) error {
	if st.boundToHeader {
		return nil
	}
	info := "polyseal-statement/1 holder" + string(fixedFields(raw))
	holder := expand(fileKey, raw[atFileSalt:atSuite], info, hashLength)
	if subtle.ConstantTimeCompare(holder, st.bound[:]) == 0 {
		return ErrOtherFile
	}
	return nil
}

// pathLength is how many hashes each group has behind its leaves.
func (st *Statement) pathLength() uint64 { return uint64(bits.Len64(st.groupCount() - 1)) }

func (st *Statement) groupCount() uint64 { return (st.segments + hashGroup - 1) / hashGroup }

func (st *Statement) hashesLength() uint64 {
	if st.segments == 1 {
		return 0
	}
	return hashLength * (st.segments + st.groupCount()*st.pathLength())
}

// expect compares a segment as it is stored with the one that was signed.
func (st *Statement) expect(number uint64, sealed []byte, last bool) error {
	if number >= st.segments || last != (number == st.segments-1) ||
		last && number*st.stored+uint64(len(sealed)) != st.payloadBytes {
		return &NotAsSignedError{number}
	}
	leaf := leafHash(sealed)
	if st.segments == 1 {
		if st.root(leaf) != st.payloadRoot {
			return &NotAsSignedError{number}
		}
		return nil
	}
	leaves, err := st.group(number / hashGroup)
	if err != nil {
		return err
	}
	if !bytes.Equal(leaves[number%hashGroup*hashLength:][:hashLength], leaf[:]) {
		return &NotAsSignedError{number}
	}
	return nil
}

func (st *Statement) root(tree [32]byte) [32]byte {
	return blakeDeriveKey("polyseal-manifest/3 root")(binary.LittleEndian.AppendUint64(tree[:], st.segments))
}

// group returns the leaves of a group, which give the payload root.
func (st *Statement) group(number uint64) ([]byte, error) {
	st.groups.Lock()
	defer st.groups.Unlock()
	if leaves, ok := st.recent[number]; ok {
		return leaves, nil
	}
	count := min(hashGroup, st.segments-number*hashGroup)
	hashes := make([]byte, hashLength*(count+st.pathLength()))
	if err := readFullAt(st.hashes, hashes, int64(number*hashLength*(hashGroup+st.pathLength()))); err != nil {
		return nil, err
	}
	leaves, path := hashes[:hashLength*count], hashes[hashLength*count:]
	group := newPayloadRoot(manifestVersion)
	for leaf := range slices.Chunk(leaves, hashLength) {
		group.addLeaf([32]byte(leaf))
	}
	tree := group.tree()
	for at, width := number, st.groupCount(); width > 1; at, width = at/2, (width+1)/2 {
		// The last of an odd number has no sibling.
		if at^1 < width {
			pair := [2][32]byte{tree, [32]byte(path)}
			if at%2 == 1 {
				pair[0], pair[1] = pair[1], pair[0]
			}
			tree = nodeHash(append(pair[0][:], pair[1][:]...))
			path = path[hashLength:]
		}
	}
	if st.root(tree) != st.payloadRoot || !isZero(path) {
		return nil, ErrStatementHashes
	}
	for old := range st.recent {
		if len(st.recent) < groupsKept {
			break
		}
		delete(st.recent, old)
	}
	st.recent[number] = leaves
	return leaves, nil
}

// VerifyStored compares a stored file of size bytes with its statement. It needs
// no key: whether the file opens, and to what, it does not say. A statement that
// is bound to the key says nothing of the recipients.
//
// The errors are those of [ReadHeader], [ErrOtherFile], [ErrStatementHashes], a
// [NotAsSignedError], and those of the sources.
func (st *Statement) VerifyStored(src io.ReaderAt, size int64) error {
	h, err := ReadHeader(io.NewSectionReader(src, 0, size))
	if err == nil {
		err = st.checkHeader(h)
	}
	if err != nil {
		return err
	}
	offset := int64(h.Size())
	buffer := make([]byte, min(st.stored, uint64(size-offset)))
	for number := uint64(0); ; number++ {
		at := offset + int64(number*st.stored)
		sealed := buffer[:min(int64(len(buffer)), size-at)]
		last := at+int64(len(sealed)) == size
		if err := readFullAt(src, sealed, at); err != nil {
			return err
		}
		if err := st.expect(number, sealed, last); err != nil || last {
			return err
		}
	}
}

// readFullAt fills b, or returns an error.
func readFullAt(src io.ReaderAt, b []byte, off int64) error {
	n, err := src.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
