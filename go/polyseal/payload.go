package polyseal

// The payload: section 6 of the specification.

import (
	"crypto/cipher"
	"encoding/binary"
	"runtime"
	"sync"
)

const (
	// buffersMaximum bounds the buffers of a reader or writer, if one
	// segment is not longer.
	buffersMaximum = 32 << 20
	// batchBytes is what one goroutine seals or opens at a time.
	batchBytes = 1 << 20
)

// geometry is the lengths of a payload.
type geometry struct {
	segment, tag int
	// limit is the largest number of segments.
	limit uint64
}

func newGeometry(suite Suite, segment int) geometry {
	a := algorithms[suite]
	g := geometry{segment, a.tag, segmentsMaximum}
	switch {
	case a.perSegment > 0:
		g.limit = 1 << 52 / uint64(segment+a.perSegment)
	case suite == "dndk-gcm" || suite == "dndk-gcm:kc=1":
		g.limit = min(g.limit, 1<<63/uint64(segment)*2)
	}
	return g
}

func (h *Header) geometry() geometry { return newGeometry(h.suite, h.SegmentSize()) }

// stored is the length of a full segment in the file.
func (g geometry) stored() int { return g.segment + g.tag }

// last returns the number and the stored length of the last segment of a
// payload, or ErrPayloadLength if no payload has that length.
func (g geometry) last(payload int64) (number uint64, length int, err error) {
	if payload < int64(g.tag) {
		return 0, 0, ErrPayloadLength
	}
	stored := int64(g.stored())
	number = uint64((payload - 1) / stored)
	length = int((payload-1)%stored) + 1
	if length < g.tag || length == g.tag && number > 0 || number >= g.limit {
		return 0, 0, ErrPayloadLength
	}
	return number, length, nil
}

// payload seals and opens the segments of one file. It is safe for concurrent
// use.
type payload struct {
	geometry
	aead cipher.AEAD
	// commitment is the key commitment of a manifest.
	commitment [32]byte
	// statement says how the segments have to be, if it is not nil.
	statement *Statement
}

// nonce is a nonce of section 6, of the longest length.
type nonce [32]byte

// of returns the nonce of segment i.
func (n *nonce) of(p *payload, i uint64, last bool) []byte {
	binary.LittleEndian.PutUint64(n[:], i)
	n[8] = 0
	if last {
		n[8] = 1
	}
	return n[:p.aead.NonceSize()]
}

// open opens segment i. dst is sealed[:0], or has room for the plaintext and
// does not overlap.
func (p *payload) open(n *nonce, dst, sealed []byte, i uint64, last bool) ([]byte, error) {
	if p.statement != nil {
		if err := p.statement.expect(i, sealed, last); err != nil {
			return nil, err
		}
	}
	plaintext, err := p.aead.Open(dst, n.of(p, i, last), sealed, nil)
	if err != nil {
		return nil, &SegmentError{i}
	}
	return plaintext, nil
}

// seal seals segment i in place: buf has room for the tag behind the first
// length bytes.
func (p *payload) seal(n *nonce, buf []byte, length int, i uint64, last bool) {
	p.aead.Seal(buf[:0], n.of(p, i, last), buf[:length], nil)
}

// slots is how many segments are sealed or opened at a time.
func (p *payload) slots(goroutines int) int {
	each := max(1, batchBytes/p.segment)
	return max(1, min(each*goroutines, buffersMaximum/p.stored()))
}

// goroutines resolves the option of that name.
func goroutines(option int) int {
	if option > 0 {
		return option
	}
	return runtime.GOMAXPROCS(0)
}

// divide calls work for parts of 0 to n, in as many goroutines, each with a
// nonce of its own.
func divide(n int, nonces []nonce, work func(n *nonce, from, to int)) {
	parts := min(n, len(nonces))
	if parts <= 1 {
		work(&nonces[0], 0, n)
		return
	}
	var group sync.WaitGroup
	for i := 1; i < parts; i++ {
		group.Go(func() { work(&nonces[i], n*i/parts, n*(i+1)/parts) })
	}
	work(&nonces[0], 0, n/parts)
	group.Wait()
}
