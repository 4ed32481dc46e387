package polyseal

// BLAKE3 in the mode derive_key, for the payload root of a manifest. It is
// portable code: some hundred MB a second.

import (
	"encoding/binary"
	"math/bits"
)

const (
	blakeBlock = 64
	blakeChunk = 1024

	blakeChunkStart  = 1
	blakeChunkEnd    = 2
	blakeParent      = 4
	blakeRoot        = 8
	blakeContext     = 32
	blakeKeyMaterial = 64
)

type blakeWords [8]uint32

var blakeIV = blakeWords{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

// blakeSchedule is which word of the message each round takes where.
var blakeSchedule = func() (s [7][16]uint8) {
	permutation := [16]uint8{2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8}
	for i := range s[0] {
		s[0][i] = uint8(i)
	}
	for round := 1; round < len(s); round++ {
		for i, p := range permutation {
			s[round][i] = s[round-1][p]
		}
	}
	return s
}()

// blakeCompress returns the new chaining value.
func blakeCompress(cv *blakeWords, block *[16]uint32, counter uint64, length, flags uint32) blakeWords {
	v := [16]uint32{
		cv[0], cv[1], cv[2], cv[3], cv[4], cv[5], cv[6], cv[7],
		blakeIV[0], blakeIV[1], blakeIV[2], blakeIV[3],
		uint32(counter), uint32(counter >> 32), length, flags,
	}
	for round := range blakeSchedule {
		s := &blakeSchedule[round]
		m := func(i int) uint32 { return block[s[i]&15] }
		v[0], v[4], v[8], v[12] = blakeMix(v[0], v[4], v[8], v[12], m(0), m(1))
		v[1], v[5], v[9], v[13] = blakeMix(v[1], v[5], v[9], v[13], m(2), m(3))
		v[2], v[6], v[10], v[14] = blakeMix(v[2], v[6], v[10], v[14], m(4), m(5))
		v[3], v[7], v[11], v[15] = blakeMix(v[3], v[7], v[11], v[15], m(6), m(7))
		v[0], v[5], v[10], v[15] = blakeMix(v[0], v[5], v[10], v[15], m(8), m(9))
		v[1], v[6], v[11], v[12] = blakeMix(v[1], v[6], v[11], v[12], m(10), m(11))
		v[2], v[7], v[8], v[13] = blakeMix(v[2], v[7], v[8], v[13], m(12), m(13))
		v[3], v[4], v[9], v[14] = blakeMix(v[3], v[4], v[9], v[14], m(14), m(15))
	}
	var out blakeWords
	for i := range out {
		out[i] = v[i] ^ v[i+8]
	}
	return out
}

func blakeMix(a, b, c, d, x, y uint32) (uint32, uint32, uint32, uint32) {
	a += b + x
	d = bits.RotateLeft32(d^a, -16)
	c += d
	b = bits.RotateLeft32(b^c, -12)
	a += b + y
	d = bits.RotateLeft32(d^a, -8)
	c += d
	b = bits.RotateLeft32(b^c, -7)
	return a, b, c, d
}

// blake hashes data of known length: all of a tree below one key.
type blake struct {
	key   blakeWords
	flags uint32
}

// chunk hashes at most 1024 bytes, the chunk of that number.
func (b blake) chunk(data []byte, number uint64, root uint32) blakeWords {
	cv := b.key
	for first := true; ; first = false {
		var block [blakeBlock]byte
		n := copy(block[:], data)
		data = data[n:]
		flags := b.flags
		if first {
			flags |= blakeChunkStart
		}
		last := len(data) == 0
		if last {
			flags |= blakeChunkEnd | root
		}
		var words [16]uint32
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(block[4*i:])
		}
		cv = blakeCompress(&cv, &words, number, uint32(n), flags)
		if last {
			return cv
		}
	}
}

// tree hashes data whose first chunk has that number. The left part is the
// largest power of two of chunks that leaves something for the right one.
func (b blake) tree(data []byte, number uint64, root uint32) blakeWords {
	if len(data) <= blakeChunk {
		return b.chunk(data, number, root)
	}
	left := 1 << (bits.Len(uint((len(data)-1)/blakeChunk)) - 1)
	l := b.tree(data[:left*blakeChunk], number, 0)
	r := b.tree(data[left*blakeChunk:], number+uint64(left), 0)
	var words [16]uint32
	copy(words[:8], l[:])
	copy(words[8:], r[:])
	return blakeCompress(&b.key, &words, 0, blakeBlock, b.flags|blakeParent|root)
}

// blakeDeriveKey returns the function that derives 32 bytes from material.
func blakeDeriveKey(context string) func(material []byte) [32]byte {
	key := blake{blakeIV, blakeContext}.tree([]byte(context), 0, blakeRoot)
	return func(material []byte) (out [32]byte) {
		for i, w := range (blake{key, blakeKeyMaterial}).tree(material, 0, blakeRoot) {
			binary.LittleEndian.PutUint32(out[4*i:], w)
		}
		return out
	}
}
