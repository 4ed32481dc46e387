// Package aegis computes AEGIS-128L, -128X2, -128X4, -256, -256X2 and -256X4,
// with tags of 16 or 32 bytes, as RFC 10032 defines them.
//
// On amd64 with AES-NI, and on arm64 with AESE, the blocks are computed in
// assembly; with VAES, two lanes at a time. Everywhere else, and with the build
// tag purego, the code is portable and bitsliced: no branch and no address
// depends on a secret, and it is some hundred times slower.
//
// It has neither the MAC nor the stream of the RFC, and does not check the
// RFC's limits of length, which no slice reaches.
package aegis

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"slices"
)

// A Variant is one of the six algorithms.
type Variant struct {
	// rows is how many blocks a lane's state has: 8 for AEGIS-128, 6 for
	// AEGIS-256.
	rows int
	// lanes is the degree of parallelism, 1, 2 or 4.
	lanes int
}

// The six algorithms, under the names of the RFC.
var (
	AEGIS128L  = Variant{8, 1}
	AEGIS128X2 = Variant{8, 2}
	AEGIS128X4 = Variant{8, 4}
	AEGIS256   = Variant{6, 1}
	AEGIS256X2 = Variant{6, 2}
	AEGIS256X4 = Variant{6, 4}
)

// wide says whether the key has 32 bytes.
func (v Variant) wide() bool { return v.rows == 6 }

// KeySize is the length of a key, and of a nonce.
func (v Variant) KeySize() int {
	if v.wide() {
		return 32
	}
	return 16
}

// rate is how many bytes an update absorbs.
func (v Variant) rate() int {
	if v.wide() {
		return 16 * v.lanes
	}
	return 32 * v.lanes
}

const maxRate = 128

var errOpen = errors.New("aegis: not authentic")

// AEAD is a variant with a key. It is a [cipher.AEAD], safe for concurrent
// use, that works in place: dst is in[:0], or does not overlap.
type AEAD struct {
	Variant
	engine engine
	tag    int
	key    [32]byte
}

var _ cipher.AEAD = (*AEAD)(nil)

// New returns the variant with a key of its length, and tags of 16 or 32
// bytes. It panics if either has another length.
func New(v Variant, key []byte, tag int) *AEAD { return newWith(best, v, key, tag) }

func newWith(e engine, v Variant, key []byte, tag int) *AEAD {
	if len(key) != v.KeySize() || tag != 16 && tag != 32 {
		panic("aegis: a key or tag of a wrong length")
	}
	a := &AEAD{Variant: v, engine: e, tag: tag}
	copy(a.key[:], key)
	return a
}

// NonceSize is the length of a nonce.
func (a *AEAD) NonceSize() int { return a.KeySize() }

// Overhead is the length of a tag.
func (a *AEAD) Overhead() int { return a.tag }

// Seal appends ciphertext and tag to dst.
func (a *AEAD) Seal(dst, nonce, plaintext, ad []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, len(plaintext)+a.tag)[:n+len(plaintext)+a.tag]
	tag := a.crypt(encrypt, dst[n:n+len(plaintext)], nonce, plaintext, ad)
	copy(dst[n+len(plaintext):], tag[:a.tag])
	return dst
}

// Open appends the plaintext to dst if the tag is right. If it is not, what
// was decrypted is overwritten with zeros.
func (a *AEAD) Open(dst, nonce, ciphertext, ad []byte) ([]byte, error) {
	end := len(ciphertext) - a.tag
	if end < 0 {
		return nil, errOpen
	}
	n := len(dst)
	dst = slices.Grow(dst, end)[:n+end]
	tag := a.crypt(decrypt, dst[n:], nonce, ciphertext[:end], ad)
	defer clear(tag[:])
	if subtle.ConstantTimeCompare(tag[:a.tag], ciphertext[end:]) == 0 {
		clear(dst[n:])
		return nil, errOpen
	}
	return dst, nil
}

// Decrypt writes to dst, as long as the ciphertext, what may be the plaintext,
// and returns the tag that an authentic message has. It is for schemes that
// send something else than the tag: the caller must compare, in constant time,
// before the plaintext goes anywhere.
func (a *AEAD) Decrypt(dst, nonce, ciphertext, ad []byte) []byte {
	tag := a.crypt(decrypt, dst, nonce, ciphertext, ad)
	return tag[:a.tag]
}

// An op is what is done with whole chunks of the rate.
type op int

const (
	absorb op = iota
	encrypt
	decrypt
)

// crypt writes to dst, as long as src, and returns the tag. Only its first
// bytes count where tags have 16.
func (a *AEAD) crypt(o op, dst, nonce, src, ad []byte) [32]byte {
	if len(nonce) != a.NonceSize() {
		panic("aegis: a nonce of a wrong length")
	}
	var s state
	defer clear(s[:])
	a.init(&s, nonce)
	rate := a.rate()

	whole := len(ad) - len(ad)%rate
	a.chunks(absorb, &s, nil, ad[:whole])
	var last [maxRate]byte
	defer clear(last[:])
	if whole < len(ad) {
		copy(last[:], ad[whole:])
		a.chunks(absorb, &s, nil, last[:rate])
		clear(last[:])
	}

	whole = len(src) - len(src)%rate
	a.chunks(o, &s, dst[:whole], src[:whole])
	if rest := src[whole:]; len(rest) > 0 {
		copy(last[:], rest)
		if o == encrypt {
			a.chunks(encrypt, &s, last[:rate], last[:rate])
		} else {
			// Decryption turns the padding into noise: zeros are absorbed.
			before := s
			a.chunks(decrypt, &s, last[:rate], last[:rate])
			s = before
			clear(before[:])
			clear(last[len(rest):])
			a.chunks(absorb, &s, nil, last[:rate])
		}
		copy(dst[whole:], last[:len(rest)])
	}
	return a.finish(&s, len(ad), len(src))
}

var (
	c0 = load([]byte("\x00\x01\x01\x02\x03\x05\x08\x0d\x15\x22\x37\x59\x90\xe9\x79\x62"))
	c1 = load([]byte("\xdb\x3d\x18\x55\x6d\xc2\x2f\xf1\x20\x11\x31\x42\x73\xb5\x28\xdd"))
)

func (a *AEAD) init(s *state, nonce []byte) {
	var rows [8]block
	// inputs are what the updates absorb in turn, the same in all lanes.
	var inputs [4 * 16]byte
	defer clear(inputs[:])
	defer clear(rows[:])
	k := load(a.key[:])
	kn := k.xor(load(nonce))
	turns, each := 10, 32
	// context is the first of the two rows that the lane's number is added to.
	context := 3
	if a.wide() {
		l := load(a.key[16:])
		ln := l.xor(load(nonce[16:]))
		rows = [8]block{kn, ln, c1, c0, k.xor(c0), l.xor(c1)}
		turns, each = 16, 16
		k.store(inputs[:])
		l.store(inputs[16:])
		kn.store(inputs[32:])
		ln.store(inputs[48:])
	} else {
		rows = [8]block{kn, c1, c0, c1, kn, k.xor(c0), k.xor(c1), k.xor(c0)}
		copy(inputs[:], nonce)
		k.store(inputs[16:])
		copy(inputs[32:], inputs[:32])
	}
	for j := range a.rows {
		for i := range a.lanes {
			s[j*a.lanes+i] = rows[j]
		}
	}
	var chunk [maxRate]byte
	defer clear(chunk[:])
	for turn := range turns {
		for i := range a.lanes {
			lane := block{uint64(i) | uint64(a.lanes-1)<<8}
			for _, row := range [2]int{context, a.rows - 1} {
				b := &s[row*a.lanes+i]
				*b = b.xor(lane)
			}
		}
		from := inputs[turn*each%len(inputs):][:each]
		for i := range a.lanes {
			copy(chunk[16*i:], from[:16])
			if each == 32 {
				copy(chunk[16*(a.lanes+i):], from[16:])
			}
		}
		a.chunks(absorb, s, nil, chunk[:a.rate()])
	}
}

func (a *AEAD) finish(s *state, ad, message int) (tag [32]byte) {
	var chunks [7 * maxRate]byte
	defer clear(chunks[:])
	length := block{8 * uint64(ad), 8 * uint64(message)}
	row := 2
	if a.wide() {
		row = 3
	}
	all := chunks[:7*a.rate()]
	for at := 0; at < len(all); at += 16 {
		s[row*a.lanes+at/16%a.lanes].xor(length).store(all[at:])
	}
	a.chunks(absorb, s, nil, all)

	// A long tag is the sums of the two halves of the rows. A short one is the
	// sum of all, but for the last row of AEGIS-128.
	half := a.rows / 2
	var first, second block
	for j := range a.rows {
		for i := range a.lanes {
			switch b := s[j*a.lanes+i]; {
			case j < half:
				first = first.xor(b)
			case a.tag == 32 || a.wide() || j < a.rows-1:
				second = second.xor(b)
			}
		}
	}
	if a.tag == 16 {
		first = first.xor(second)
	}
	first.store(tag[:])
	second.store(tag[16:])
	return tag
}

// A block is 16 bytes, as two numbers whose lowest bytes come first.
type block [2]uint64

func load(b []byte) block {
	return block{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

func (x block) store(b []byte) {
	binary.LittleEndian.PutUint64(b, x[0])
	binary.LittleEndian.PutUint64(b[8:], x[1])
}

func (x block) xor(y block) block { return block{x[0] ^ y[0], x[1] ^ y[1]} }
func (x block) and(y block) block { return block{x[0] & y[0], x[1] & y[1]} }

// A state has block j of lane i at j * lanes + i.
type state [8 * 4]block
