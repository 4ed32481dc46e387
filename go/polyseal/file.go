package polyseal

// Reading parts: the last paragraph of section 6 of the specification.

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// A File is an open file, of which any part can be read. It is safe for
// concurrent use.
type File struct {
	header  *Header
	payload *payload
	src     io.ReaderAt
	offset  int64  // of the payload in src
	length  int64  // of the payload, as it is stored
	size    int64  // of the plaintext
	last    uint64 // number of the last segment, which has opened
	buffers sync.Pool
	// recent is a segment of which a part was read last.
	recent     atomic.Pointer[openSegment]
	goroutines int
}

// segmentBuffer is what opening a segment needs, if it does not stay.
type segmentBuffer struct {
	nonce  nonce
	stored []byte
}

// openSegment is the plaintext of a segment. It does not change.
type openSegment struct {
	number    uint64
	plaintext []byte
}

// Open opens a file of size bytes. It reads the header and then the last
// segment, so that Size is authentic, and no part of a file is read that was
// truncated or extended. The other segments are opened when they are read.
//
// With opts.Header, src and size are those of the payload.
//
// The errors are, in the order in which they are looked for:
// [ErrNotPolyseal], [ErrUnsupportedVersion], [ErrTruncatedHeader], a
// [HeaderError], [ErrHeaderNotAuthentic], [ErrNoMatchingKey],
// [ErrContextMissing], [ErrContextDiffers], [ErrContextUnexpected], an
// [UnsupportedSuiteError], [ErrPayloadLength], and a [SegmentError]; besides
// those of src. With opts.Statement, there are [ErrOtherFile] before and behind
// the use of a key, and before a segment is opened [ErrStatementHashes] and a
// [NotAsSignedError].
func Open(src io.ReaderAt, size int64, opts *ReadOptions, identities ...Identity) (*File, error) {
	opts = opts.orDefault()
	f, _, err := openWith(src, size, opts, identities, opts.Context)
	return f, err
}

// openWith says as well which of the contexts the file has.
func openWith(src io.ReaderAt, size int64, opts *ReadOptions, identities []Identity, contexts ...[]byte) (*File, int, error) {
	f := &File{header: opts.Header, src: src, length: size, goroutines: goroutines(opts.Goroutines)}
	if f.header == nil {
		var err error
		if f.header, err = ReadHeader(io.NewSectionReader(src, 0, size)); err != nil {
			return nil, 0, err
		}
		f.offset = int64(f.header.Size())
		f.length -= f.offset
	}
	var which int
	var err error
	if f.payload, which, err = f.header.payload(identities, opts.Statement, contexts...); err != nil {
		return nil, 0, err
	}
	number, length, err := f.payload.last(f.length)
	if err != nil {
		return nil, 0, err
	}
	f.last = number
	f.size = int64(number)*int64(f.payload.segment) + int64(length-f.payload.tag)
	f.buffers.New = func() any {
		return &segmentBuffer{stored: make([]byte, min(int64(f.payload.stored()), f.length))}
	}
	plaintext, err := f.segment(number, make([]byte, 0, length-f.payload.tag))
	if err != nil {
		return nil, 0, err
	}
	f.recent.Store(&openSegment{number, plaintext})
	return f, which, nil
}

// Header returns the header, which is authentic.
func (f *File) Header() *Header { return f.header }

// Size is the number of bytes of plaintext.
func (f *File) Size() int64 { return f.size }

// ReadAt reads len(b) bytes of plaintext from offset off. Only segments that
// have opened are given. At the end of the plaintext the error is [io.EOF];
// where a segment does not open it is a [SegmentError].
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("polyseal: a negative offset")
	}
	for n < len(b) {
		if off >= f.size {
			return n, io.EOF
		}
		got, err := f.readSegment(b[n:], uint64(off/int64(f.payload.segment)), int(off%int64(f.payload.segment)))
		n += got
		off += int64(got)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// NewReader returns a reader of all of the plaintext, which opens several
// segments at a time and keeps none.
func (f *File) NewReader() *Reader {
	return newReader(io.NewSectionReader(f.src, f.offset, f.length), f.payload, f.goroutines, f.length)
}

// Section returns a reader of n bytes of plaintext from offset off, which can
// seek.
func (f *File) Section(off, n int64) *io.SectionReader { return io.NewSectionReader(f, off, n) }

// readSegment reads from one segment, skip bytes after its beginning.
func (f *File) readSegment(b []byte, number uint64, skip int) (int, error) {
	if s := f.recent.Load(); s.number == number {
		return copy(b, s.plaintext[skip:]), nil
	}
	if length := f.plaintextLength(number); skip == 0 && len(b) >= length {
		plaintext, err := f.segment(number, b[:0:length])
		return len(plaintext), err
	}
	plaintext, err := f.segment(number, make([]byte, 0, f.plaintextLength(number)))
	if err != nil {
		return 0, err
	}
	f.recent.Store(&openSegment{number, plaintext})
	return copy(b, plaintext[skip:]), nil
}

func (f *File) plaintextLength(number uint64) int {
	if number == f.last {
		return int(f.size - int64(f.last)*int64(f.payload.segment))
	}
	return f.payload.segment
}

// segment opens a segment into dst, which has room for the plaintext.
func (f *File) segment(number uint64, dst []byte) ([]byte, error) {
	length := f.plaintextLength(number) + f.payload.tag
	buffer := f.buffers.Get().(*segmentBuffer)
	defer f.buffers.Put(buffer)
	sealed := buffer.stored[:length]
	if err := f.read(sealed, number); err != nil {
		return nil, err
	}
	return f.payload.open(&buffer.nonce, dst, sealed, number, number == f.last)
}

// read reads a segment as it is stored.
func (f *File) read(sealed []byte, number uint64) error {
	return readFullAt(f.src, sealed, f.offset+int64(number)*int64(f.payload.stored()))
}
