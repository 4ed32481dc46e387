package polyseal

// Reading from the beginning to the end: sections 6 and 10 of the
// specification.

import (
	"io"
	"math"
	"sync"
)

// ReadOptions are what a reader may be told. The zero value and nil are good.
type ReadOptions struct {
	// Context is what the file is bound to, if it is.
	Context []byte
	// Header is the header, if it is kept apart. The source then has the
	// payload alone.
	Header *Header
	// Statement is what an allowed signer has signed, from
	// [Signers.ReadStatement]. The file must be as it says.
	Statement *Statement
	// Goroutines is how many open segments at a time, in the sequential
	// reader. 0 is GOMAXPROCS. With 1 a segment is given as soon as it has
	// arrived with the first byte of the next one; with more, the reader
	// first waits for up to 1 MiB for each.
	Goroutines int
}

func (o *ReadOptions) orDefault() *ReadOptions {
	if o == nil {
		return new(ReadOptions)
	}
	return o
}

// A Reader gives the plaintext of a file in order, and only segments that have
// opened.
type Reader struct {
	src     io.Reader
	payload *payload
	nonces  []nonce
	// buf has stored segments, and then one byte that shows that the last
	// of them is not the last of the file.
	buf    []byte
	filled int
	// opened is how many segments at the beginning of buf are open. give is
	// the one to give next, of which skip bytes were given.
	opened, give, skip int
	// lastLength is the plaintext length of the last opened one.
	lastLength int
	next       uint64 // number of the first segment in buf
	err        error  // what comes after the opened segments
}

// NewReader reads the header of a file from src, and opens it. The plaintext
// is complete when Read returns [io.EOF]; with any other error it is not, and
// what was read is the beginning of an altered or truncated file.
//
// Errors of NewReader are those of [ReadHeader] and of [Open]. Those of Read
// are [ErrPayloadLength], a [SegmentError], and those of src; with a statement,
// [ErrStatementHashes] and a [NotAsSignedError] as well.
func NewReader(src io.Reader, opts *ReadOptions, identities ...Identity) (*Reader, error) {
	opts = opts.orDefault()
	header := opts.Header
	if header == nil {
		var err error
		if header, err = ReadHeader(src); err != nil {
			return nil, err
		}
	}
	p, _, err := header.payload(identities, opts.Statement, opts.Context)
	if err != nil {
		return nil, err
	}
	return newReader(src, p, goroutines(opts.Goroutines), math.MaxInt64-1), nil
}

// newReader reads a payload of at most that length.
func newReader(src io.Reader, p *payload, goroutines int, length int64) *Reader {
	room := min(int64(p.slots(goroutines)*p.stored()), length)
	return &Reader{
		src:     src,
		payload: p,
		nonces:  make([]nonce, goroutines),
		buf:     make([]byte, room+1),
	}
}

// Read reads up to len(b) bytes of plaintext.
func (r *Reader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	chunk, err := r.chunk()
	n := copy(b, chunk)
	r.skip += n
	return n, err
}

// WriteTo writes all of the plaintext to w, without copying it once more.
func (r *Reader) WriteTo(w io.Writer) (total int64, err error) {
	for {
		chunk, err := r.chunk()
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		n, err := writeAll(w, chunk)
		r.skip += n
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
}

// chunk returns what is left of the segment to give: at least one byte, or an
// error.
func (r *Reader) chunk() ([]byte, error) {
	for {
		for r.give < r.opened {
			length := r.payload.segment
			if r.give == r.opened-1 {
				length = r.lastLength
			}
			if r.skip < length {
				start := r.give * r.payload.stored()
				return r.buf[start+r.skip : start+length], nil
			}
			r.give++
			r.skip = 0
		}
		if r.err != nil {
			return nil, r.err
		}
		r.fill()
	}
}

// fill reads stored segments and opens all of which it knows whether they are
// the last.
func (r *Reader) fill() {
	stored := r.payload.stored()
	used := r.opened * stored
	r.filled = copy(r.buf, r.buf[used:r.filled])
	r.next += uint64(r.opened)
	r.opened, r.give, r.skip = 0, 0, 0

	enough := len(r.buf)
	if len(r.nonces) == 1 {
		enough = min(enough, stored+1)
	}
	n, err := readAtLeast(r.src, r.buf[r.filled:], enough-r.filled)
	r.filled += n
	switch err {
	case nil:
		r.open((r.filled-1)/stored, false)
	case io.EOF:
		r.end()
	default:
		r.open(max(0, r.filled-1)/stored, false)
		if r.err == nil {
			r.err = err
		}
	}
}

// end opens what is left at the end of the source.
func (r *Reader) end() {
	last, length, err := r.payload.last(int64(r.filled))
	if err == nil && length == r.payload.tag && r.next > 0 {
		err = ErrPayloadLength
	}
	if err != nil {
		full := max(0, r.filled-1) / r.payload.stored()
		r.open(full, false)
		if r.err == nil {
			r.err = err
		}
		return
	}
	r.open(int(last)+1, true)
	if r.err == nil {
		r.lastLength = length - r.payload.tag
		r.err = io.EOF
	}
}

// open opens the first n segments in buf, up to the first that does not open.
// If end is true, the last of them is the last of the file.
func (r *Reader) open(n int, end bool) {
	if r.next+uint64(n) > r.payload.limit {
		r.err = ErrPayloadLength
		return
	}
	stored := r.payload.stored()
	var first sync.Mutex
	r.opened = n
	divide(n, r.nonces, func(nonce *nonce, from, to int) {
		for i := from; i < to; i++ {
			last := end && i == n-1
			sealed := r.buf[i*stored : min((i+1)*stored, r.filled)]
			if _, err := r.payload.open(nonce, sealed[:0], sealed, r.next+uint64(i), last); err != nil {
				first.Lock()
				defer first.Unlock()
				if i < r.opened {
					r.opened, r.err = i, err
				}
				return
			}
		}
	})
	r.lastLength = r.payload.segment
}

// readAtLeast reads at least that many bytes, or up to io.EOF.
func readAtLeast(src io.Reader, b []byte, least int) (n int, err error) {
	for empty := 0; n < least && err == nil; {
		var more int
		more, err = src.Read(b[n:])
		n += more
		if more > 0 {
			empty = 0
		} else if empty++; empty == 100 && err == nil {
			err = io.ErrNoProgress
		}
	}
	if n >= least {
		err = nil
	}
	return n, err
}
