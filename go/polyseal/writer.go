package polyseal

// Writing: sections 1 and 6 of the specification.

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
)

// WriteOptions are how a file is written. The zero value and nil are good.
type WriteOptions struct {
	// Suite seals the segments. "" is AES256GCM.
	Suite Suite
	// SegmentSize is a power of two from 4096 to 16777216. 0 is 65536.
	SegmentSize int
	// Context binds the file to 1 to 65535 bytes, which are not secret. Opening
	// needs the same bytes. If it is empty, the file has no context.
	Context []byte
	// HeaderSize is the length of the header: a multiple of 4096 from 4096
	// to 65536. 0 is the smallest that leaves 2048 bytes for recipients
	// that are added later, or 65536.
	HeaderSize int
	// Header gets the header, if it is to be kept apart from the payload.
	Header io.Writer
	// Goroutines is how many seal segments at a time. 0 is GOMAXPROCS.
	Goroutines int
}

var errClosed = errors.New("polyseal: the writer is closed")

// A Writer seals what is written to it.
type Writer struct {
	dst     io.Writer
	payload *payload
	nonces  []nonce
	// full has segments that are complete, and will not be the last if
	// more follows. filling gets what is written.
	full, filling *batch
	next          uint64 // number of the first segment in full, or in filling
	err           error
}

// batch is room for some segments, each with room for its tag.
type batch struct {
	buf []byte
	// slots are full segments at the beginning; length is what the one
	// behind them has.
	slots, length int
}

// NewWriter writes the header of a new file to dst, with a file key of its
// own, and returns what seals the plaintext. Close must be called, and must
// succeed: it seals the last segment, without which no reader takes the file.
// Do not call Close if the plaintext could not be read to its end: it would
// seal the beginning as the whole.
//
// An age recipient of any type but scrypt is good. A [Passphrase] is the only
// recipient of a file. Errors are [ErrInvalidOptions], [ErrInvalidRecipients],
// [ErrTooManyRecipients], an [UnsupportedSuiteError], and those of dst and of
// opts.Header.
func NewWriter(dst io.Writer, opts *WriteOptions, recipients ...Recipient) (*Writer, error) {
	if opts == nil {
		opts = new(WriteOptions)
	}
	fileKey := make([]byte, fileKeyLength)
	rand.Read(fileKey)
	defer clear(fileKey)
	header, p, err := newHeader(opts, fileKey, recipients)
	if err != nil {
		return nil, err
	}
	headerTo := dst
	if opts.Header != nil {
		headerTo = opts.Header
	}
	if _, err := writeAll(headerTo, header); err != nil {
		return nil, err
	}
	n := goroutines(opts.Goroutines)
	size := p.slots(n) * p.stored()
	return &Writer{
		dst:     dst,
		payload: p,
		nonces:  make([]nonce, n),
		full:    &batch{buf: make([]byte, size)},
		filling: &batch{buf: make([]byte, size)},
	}, nil
}

// newHeader makes the header of a new file, and what seals its payload.
func newHeader(opts *WriteOptions, fileKey []byte, recipients []Recipient) ([]byte, *payload, error) {
	suite, segment := opts.Suite, opts.SegmentSize
	if suite == "" {
		suite = AES256GCM
	}
	if segment == 0 {
		segment = segmentDefault
	}
	switch {
	case !suite.Known():
		return nil, nil, invalid(ErrInvalidOptions, "polyseal: %q is no suite", suite)
	case !suite.Supported():
		return nil, nil, &UnsupportedSuiteError{suite}
	case segment < 0 || !validSegmentSize(uint64(segment)):
		return nil, nil, invalid(ErrInvalidOptions, "polyseal: no segment size: %d", segment)
	case len(opts.Context) > contextMaximum:
		return nil, nil, invalid(ErrInvalidOptions, "polyseal: a context has at most 65535 bytes")
	}
	unsealed, err := unsealedFor(recipients)
	if err != nil {
		return nil, nil, err
	}
	defer wipe(unsealed)
	size, err := headerSize(opts.HeaderSize, unsealed)
	if err != nil {
		return nil, nil, err
	}
	raw := make([]byte, size)
	copy(raw, magic)
	binary.LittleEndian.PutUint16(raw[atVersion:], version)
	binary.LittleEndian.PutUint32(raw[atSegmentSize:], uint32(segment))
	binary.LittleEndian.PutUint64(raw[atOffset:], uint64(size))
	rand.Read(raw[atFileSalt:atSuite])
	copy(raw[atSuite:], suite.field())
	if len(opts.Context) > 0 {
		copy(raw[atContextTag:], contextTag(raw, fileKey, opts.Context))
	}
	if err := putStanzas(raw, fileKey, nil, unsealed); err != nil {
		return nil, nil, err
	}
	p, err := newPayload(raw, suite, fileKey, opts.Context)
	return raw, p, err
}

// headerSize is the length of a header for these stanzas.
func headerSize(option int, stanzas []unsealed) (int, error) {
	if option != 0 {
		if option < 0 || !validHeaderSize(uint64(option)) {
			return 0, invalid(ErrInvalidOptions, "polyseal: no header size: %d", option)
		}
		return option, nil
	}
	need := fixedLength + spareRoom + macLength
	for _, u := range stanzas {
		need += u.length()
	}
	return min((need+headerStep-1)/headerStep*headerStep, headerMaximum), nil
}

// putStanzas writes stanzas, spare room and MAC into a header, whose other
// fields are set. kept are stanzas of the same file.
func putStanzas(raw, fileKey []byte, kept []stanza, added []unsealed) error {
	count := len(kept) + len(added)
	length := 0
	for _, s := range kept {
		length += len(s.raw)
	}
	for _, u := range added {
		length += u.length()
	}
	room := raw[fixedLength : len(raw)-macLength]
	if count > stanzasMaximum || length > len(room) {
		return ErrTooManyRecipients
	}
	fixed := fixedFields(raw)
	stanzas := make([]byte, 0, length)
	for _, s := range kept {
		stanzas = append(stanzas, s.raw...)
	}
	for _, u := range added {
		stanzas = append(stanzas, u.seal(fileKey, fixed)...)
	}
	binary.LittleEndian.PutUint16(raw[atStanzaCount:], uint16(count))
	clear(room[copy(room, stanzas):])
	copy(raw[len(raw)-macLength:], headerMAC(raw, fileKey))
	_, err := ParseHeader(raw)
	if err != nil {
		return invalid(ErrInvalidRecipients, "polyseal: these recipients do not go together: %w", err)
	}
	return nil
}

func wipe(stanzas []unsealed) {
	for _, u := range stanzas {
		clear(u.wrapping)
	}
}

// Write seals b, or keeps it until a segment is full.
func (w *Writer) Write(b []byte) (int, error) {
	total := 0
	for len(b) > 0 {
		room, err := w.room()
		if err != nil {
			return total, err
		}
		n := copy(room, b)
		if err := w.took(n); err != nil {
			return total, err
		}
		total += n
		b = b[n:]
	}
	return total, w.err
}

// ReadFrom seals all of src, without copying it once more. If src fails, the
// plaintext is not complete, and Close returns the error of src.
func (w *Writer) ReadFrom(src io.Reader) (total int64, err error) {
	for empty := 0; ; {
		room, err := w.room()
		if err != nil {
			return total, err
		}
		n, err := src.Read(room)
		if n > 0 {
			empty = 0
			if err := w.took(n); err != nil {
				return total, err
			}
			total += int64(n)
		} else if empty++; empty == 100 && err == nil {
			err = io.ErrNoProgress
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			w.err = err
			return total, err
		}
	}
}

// room returns where to put what comes next.
func (w *Writer) room() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	stored := w.payload.stored()
	if w.filling.slots*stored == len(w.filling.buf) {
		w.full, w.filling = w.filling, w.full
	}
	start := w.filling.slots * stored
	return w.filling.buf[start+w.filling.length : start+w.payload.segment], nil
}

// took counts n bytes, at least one, that were put into the room. Now it is
// known that the full batch does not have the last segment.
func (w *Writer) took(n int) error {
	if w.full.slots > 0 {
		w.flush(w.full, w.full.slots, false)
	}
	b := w.filling
	b.length += n
	if b.length == w.payload.segment {
		b.slots++
		b.length = 0
	}
	return w.err
}

// flush seals the first n segments of a batch and writes them.
func (w *Writer) flush(b *batch, n int, end bool) {
	if w.next+uint64(n) > w.payload.limit {
		w.err = ErrTooLong
		return
	}
	stored := w.payload.stored()
	divide(n, w.nonces, func(nonce *nonce, from, to int) {
		for i := from; i < to; i++ {
			length := w.payload.segment
			if i == b.slots {
				length = b.length
			}
			w.payload.seal(nonce, b.buf[i*stored:(i+1)*stored], length, w.next+uint64(i), end && i == n-1)
		}
	})
	out := b.buf[:b.slots*stored]
	if n > b.slots {
		out = b.buf[:b.slots*stored+b.length+w.payload.tag]
	}
	w.next += uint64(n)
	b.slots, b.length = 0, 0
	_, w.err = writeAll(w.dst, out)
}

// writeAll writes all of b, or gives an error: a destination that takes less
// and says nothing would have a file without its middle.
func writeAll(dst io.Writer, b []byte) (n int, err error) {
	n, err = dst.Write(b)
	if err == nil && n != len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

// Close seals the last segment and writes it. It does not close the writer
// that NewWriter was given. Without Close, or if it fails, there is no file
// that opens.
//
// Do not call Close if the plaintext could not be read to its end: it would
// seal the beginning as the whole. A Writer knows of that only from ReadFrom.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	b := w.filling
	if b.slots == 0 && b.length == 0 && w.full.slots > 0 {
		b = w.full
	}
	n := b.slots
	if b.length > 0 || n == 0 {
		n++
	}
	if w.flush(b, n, true); w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}
