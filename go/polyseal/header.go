package polyseal

// The header: sections 1, 3, 5 and 10 of the specification. Everything here
// needs no key, and is checked before one is used.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

const (
	magic   = "polyseal"
	version = 1

	fixedLength     = 160
	macLength       = 32
	headerStep      = 4096
	headerMaximum   = 65536
	spareRoom       = 2048
	stanzasMaximum  = 128
	contextMaximum  = 65535
	segmentMinimum  = 4096
	segmentMaximum  = 16777216
	segmentDefault  = 65536
	fileSaltLength  = 32
	fileKeyLength   = 32
	segmentsMaximum = 1 << 48
)

// The offsets of the fields.
const (
	atVersion     = 8
	atStanzaCount = 10
	atSegmentSize = 12
	atOffset      = 16
	atReserved    = 24
	atFileSalt    = 32
	atSuite       = 64
	atContextTag  = 128
)

// A Header is the header of a file, with every rule checked that needs no key.
// It says nothing that is authentic until a key has opened it.
type Header struct {
	raw     []byte
	suite   Suite
	stanzas []stanza
}

// ReadHeader reads the header at the beginning of r, from 4096 to 65536 bytes,
// and nothing behind it. It needs no key.
//
// The errors are [ErrNotPolyseal], [ErrUnsupportedVersion],
// [ErrTruncatedHeader], a [HeaderError], and those of r.
func ReadHeader(r io.Reader) (*Header, error) {
	fixed := make([]byte, fixedLength)
	if n, err := io.ReadFull(r, fixed); err != nil {
		return nil, truncated(fixed[:n], err)
	}
	suite, err := parseFixed(fixed)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, binary.LittleEndian.Uint64(fixed[atOffset:]))
	copy(raw, fixed)
	if _, err := io.ReadFull(r, raw[fixedLength:]); err != nil {
		return nil, truncated(fixed, err)
	}
	h := &Header{raw: raw, suite: suite}
	if err := h.parseStanzas(); err != nil {
		return nil, err
	}
	return h, nil
}

// ParseHeader reads a header that is kept apart from its payload. data is the
// header and nothing else.
func ParseHeader(data []byte) (*Header, error) {
	r := bytes.NewReader(data)
	h, err := ReadHeader(r)
	if err == nil && r.Len() > 0 {
		return nil, badHeader("%d bytes behind it", r.Len())
	}
	return h, err
}

// truncated says why a header could not be read: what there is of it may show
// that the file is another one.
func truncated(start []byte, err error) error {
	if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if n := min(len(start), len(magic)); string(start[:n]) != magic[:n] {
		return ErrNotPolyseal
	}
	if len(start) >= atStanzaCount && binary.LittleEndian.Uint16(start[atVersion:]) != version {
		return ErrUnsupportedVersion
	}
	return ErrTruncatedHeader
}

// parseFixed checks the first 160 bytes of a header.
func parseFixed(b []byte) (Suite, error) {
	if string(b[:atVersion]) != magic {
		return "", ErrNotPolyseal
	}
	if binary.LittleEndian.Uint16(b[atVersion:]) != version {
		return "", ErrUnsupportedVersion
	}
	if n := binary.LittleEndian.Uint16(b[atStanzaCount:]); n < 1 || n > stanzasMaximum {
		return "", badHeader("%d stanzas", n)
	}
	if s := binary.LittleEndian.Uint32(b[atSegmentSize:]); !validSegmentSize(uint64(s)) {
		return "", badHeader("a segment size of %d", s)
	}
	if p := binary.LittleEndian.Uint64(b[atOffset:]); !validHeaderSize(p) {
		return "", badHeader("a payload offset of %d", p)
	}
	if !isZero(b[atReserved:atFileSalt]) {
		return "", badHeader("the reserved field is not zero")
	}
	return parseSuite(b[atSuite:atContextTag])
}

func validSegmentSize(s uint64) bool {
	return s >= segmentMinimum && s <= segmentMaximum && s&(s-1) == 0
}

func validHeaderSize(p uint64) bool {
	return p >= headerStep && p <= headerMaximum && p%headerStep == 0
}

func (h *Header) parseStanzas() error {
	rest := h.raw[fixedLength : len(h.raw)-macLength]
	for range binary.LittleEndian.Uint16(h.raw[atStanzaCount:]) {
		s, n, err := parseStanza(rest)
		if err != nil {
			return err
		}
		h.stanzas = append(h.stanzas, s)
		rest = rest[n:]
	}
	if !isZero(rest) {
		return badHeader("the spare room is not zero")
	}
	return checkStanzas(h.stanzas)
}

// Bytes returns a copy of the header: the first Size bytes of the file.
func (h *Header) Bytes() []byte { return bytes.Clone(h.raw) }

// Size is the length of the header in bytes, and the offset of the payload in
// a file that has both.
func (h *Header) Size() int { return len(h.raw) }

// Suite is what the segments are sealed with.
func (h *Header) Suite() Suite { return h.suite }

// SegmentSize is the number of bytes of plaintext in a segment.
func (h *Header) SegmentSize() int {
	return int(binary.LittleEndian.Uint32(h.raw[atSegmentSize:]))
}

// FileSalt is random for every file, and stays when recipients change.
func (h *Header) FileSalt() (salt [32]byte) {
	copy(salt[:], h.raw[atFileSalt:])
	return salt
}

// HasContext says whether the file is bound to a context.
func (h *Header) HasContext() bool { return !isZero(h.raw[atContextTag:fixedLength]) }

// Stanzas describes what opens the file, in the order of the header.
func (h *Header) Stanzas() []StanzaInfo {
	all := make([]StanzaInfo, len(h.stanzas))
	for i, s := range h.stanzas {
		all[i] = s.info()
	}
	return all
}

// PlaintextSize is the number of bytes that a payload of the given length in
// bytes has. The error is [ErrPayloadLength] if no payload has that length.
func (h *Header) PlaintextSize(payload int64) (int64, error) {
	g := h.geometry()
	last, length, err := g.last(payload)
	if err != nil {
		return 0, err
	}
	return int64(last)*int64(g.segment) + int64(length-g.tag), nil
}

// fixedFields is F of section 4: what a stanza is bound to.
func fixedFields(raw []byte) []byte {
	f := append(make([]byte, 0, fixedLength-2), raw[:atStanzaCount]...)
	return append(f, raw[atSegmentSize:fixedLength]...)
}
