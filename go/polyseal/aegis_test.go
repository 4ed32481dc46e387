package polyseal

// AEGIS-256, for tests only: most files of the conformance kit have it, and
// with it their payloads reach this package's reader. It looks into tables, so
// its time depends on secrets.

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
)

type aegisBlock [16]byte

var aesBox = func() (box [256]byte) {
	// The inverse in GF(2^8), by powers of the generator 3, and the affine map.
	p, q := byte(1), byte(1)
	for {
		p ^= p<<1 ^ p>>7*0x1b
		q ^= q << 1
		q ^= q << 2
		q ^= q << 4
		q ^= q >> 7 * 9
		x := q ^ (q<<1 | q>>7) ^ (q<<2 | q>>6) ^ (q<<3 | q>>5) ^ (q<<4 | q>>4)
		box[p] = x ^ 0x63
		if p == 1 {
			break
		}
	}
	box[0] = 0x63
	return box
}()

// aesTables are a column of a round for each byte of a row, as in many
// implementations of AES without instructions for it.
var aesTables = func() (t [4][256]uint32) {
	for i, s := range aesBox {
		double := s<<1 ^ s>>7*0x1b
		column := uint32(double) | uint32(s)<<8 | uint32(s)<<16 | uint32(double^s)<<24
		for row := range 4 {
			t[row][i] = column<<(8*row) | column>>(32-8*row)
		}
	}
	return t
}()

func aesRound(in, key aegisBlock) (out aegisBlock) {
	for c := range 4 {
		x := aesTables[0][in[4*c]] ^ aesTables[1][in[(4*c+5)%16]] ^
			aesTables[2][in[(4*c+10)%16]] ^ aesTables[3][in[(4*c+15)%16]]
		binary.LittleEndian.PutUint32(out[4*c:], x^binary.LittleEndian.Uint32(key[4*c:]))
	}
	return out
}

func (a aegisBlock) xor(b aegisBlock) (out aegisBlock) {
	subtle.XORBytes(out[:], a[:], b[:])
	return out
}

func (a aegisBlock) and(b aegisBlock) (out aegisBlock) {
	for i := range out {
		out[i] = a[i] & b[i]
	}
	return out
}

type aegis256 struct {
	key         []byte
	lanes, size int
}

func newAEGIS256(lanes, tag int) func([]byte) cipher.AEAD {
	return func(key []byte) cipher.AEAD {
		return &aegis256{append([]byte(nil), key...), lanes, tag}
	}
}

func (*aegis256) NonceSize() int  { return 32 }
func (a *aegis256) Overhead() int { return a.size }

type aegisLane [6]aegisBlock

func (v *aegisLane) update(m aegisBlock) {
	old := *v
	for i := range v {
		v[i] = aesRound(old[(i+5)%6], old[i])
	}
	v[0] = aesRound(old[5], old[0].xor(m))
}

func (v *aegisLane) stream() aegisBlock {
	return v[1].xor(v[4]).xor(v[5]).xor(v[2].and(v[3]))
}

var (
	aegisC0 = aegisBlock{0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62}
	aegisC1 = aegisBlock{0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd}
)

func (a *aegis256) init(nonce []byte) []aegisLane {
	k0, k1 := aegisBlock(a.key[:16]), aegisBlock(a.key[16:])
	n0, n1 := k0.xor(aegisBlock(nonce[:16])), k1.xor(aegisBlock(nonce[16:]))
	all := make([]aegisLane, a.lanes)
	for i := range all {
		v := &all[i]
		*v = aegisLane{n0, n1, aegisC1, aegisC0, k0.xor(aegisC0), k1.xor(aegisC1)}
		context := aegisBlock{byte(i), byte(a.lanes - 1)}
		for range 4 {
			for _, m := range []aegisBlock{k0, k1, n0, n1} {
				v[3] = v[3].xor(context)
				v[5] = v[5].xor(context)
				v.update(m)
			}
		}
	}
	return all
}

func (a *aegis256) finish(all []aegisLane, length int) []byte {
	var bits aegisBlock
	binary.LittleEndian.PutUint64(bits[8:], uint64(length)*8)
	var first, second aegisBlock
	for i := range all {
		v := &all[i]
		t := v[3].xor(bits)
		for range 7 {
			v.update(t)
		}
		first = first.xor(v[0]).xor(v[1]).xor(v[2])
		second = second.xor(v[3]).xor(v[4]).xor(v[5])
	}
	if a.size == 32 {
		return append(first[:], second[:]...)
	}
	first = first.xor(second)
	return first[:]
}

// crypt is encryption and decryption; the state takes the plaintext.
func (a *aegis256) crypt(nonce, in []byte, decrypt bool) (out, tag []byte) {
	all := a.init(nonce)
	out = make([]byte, len(in))
	for at := 0; at < len(in); {
		for i := range all {
			if at >= len(in) {
				all[i].update(aegisBlock{})
				continue
			}
			var x aegisBlock
			n := copy(x[:], in[at:])
			y := x.xor(all[i].stream())
			copy(out[at:], y[:n])
			if decrypt {
				x = aegisBlock{}
				copy(x[:n], y[:n])
			}
			all[i].update(x)
			at += n
		}
	}
	return out, a.finish(all, len(in))
}

func (a *aegis256) Seal(dst, nonce, plaintext, _ []byte) []byte {
	out, tag := a.crypt(nonce, plaintext, false)
	return append(append(dst, out...), tag...)
}

func (a *aegis256) Open(dst, nonce, ciphertext, _ []byte) ([]byte, error) {
	end := len(ciphertext) - a.size
	if end < 0 {
		return nil, errOpen
	}
	out, tag := a.crypt(nonce, ciphertext[:end], true)
	if subtle.ConstantTimeCompare(tag, ciphertext[end:]) == 0 {
		return nil, errOpen
	}
	return append(dst, out...), nil
}

// withAEGIS lets the package compute AEGIS-256 while f runs.
func withAEGIS(f func()) {
	set := func(suite Suite, make func([]byte) cipher.AEAD) {
		a := algorithms[suite]
		a.new = make
		algorithms[suite] = a
	}
	for suite, lanes := range map[Suite]int{"aegis-256": 1, "aegis-256x2": 2, "aegis-256x4": 4} {
		set(suite, newAEGIS256(lanes, 16))
		set(suite+":tag=32", newAEGIS256(lanes, 32))
		defer set(suite, nil)
		defer set(suite+":tag=32", nil)
	}
	f()
}
