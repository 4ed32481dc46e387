package polyseal

// The suites that are AES-GCM, or derive a key for it. Each is a [cipher.AEAD]
// that ignores associated data, because segments have none.

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"errors"
)

const gcmTag = 16

var errOpen = errors.New("polyseal: not authentic")

func newGCM(key []byte) cipher.AEAD {
	gcm, err := cipher.NewGCM(newAES(key))
	if err != nil {
		panic(err)
	}
	return gcm
}

func newAES(key []byte) cipher.Block {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	return block
}

// derived is GCM under a key that is derived from the nonce, with a commitment
// to the key behind the tag, if the suite has that.
type derived struct {
	nonce int
	// split returns the GCM of one nonce, and the nonce for it.
	split func(nonce []byte) (cipher.AEAD, []byte)
	// commit returns K_C. It is nil where the suite has none.
	commit func(nonce []byte) []byte
}

func (d *derived) NonceSize() int { return d.nonce }

func (d *derived) Overhead() int {
	if d.commit == nil {
		return gcmTag
	}
	return gcmTag + sha256.Size
}

func (d *derived) Seal(dst, nonce, plaintext, _ []byte) []byte {
	gcm, inner := d.split(nonce)
	dst = gcm.Seal(dst, inner, plaintext, nil)
	if d.commit != nil {
		dst = append(dst, d.commit(nonce)...)
	}
	return dst
}

func (d *derived) Open(dst, nonce, ciphertext, _ []byte) ([]byte, error) {
	if d.commit != nil {
		end := len(ciphertext) - sha256.Size
		if end < 0 || subtle.ConstantTimeCompare(ciphertext[end:], d.commit(nonce)) == 0 {
			return nil, errOpen
		}
		ciphertext = ciphertext[:end]
	}
	gcm, inner := d.split(nonce)
	return gcm.Open(dst, inner, ciphertext, nil)
}

// newXAES is c2sp.org/XAES-256-GCM.
func newXAES(key []byte) cipher.AEAD { return xaes(newAES(key)) }

func xaes(block cipher.Block) *derived {
	subkey := cmacSubkey(block)
	return &derived{nonce: 24, split: func(nonce []byte) (cipher.AEAD, []byte) {
		var key [32]byte
		defer clear(key[:])
		for i := range 2 {
			half := key[16*i : 16*i+16]
			copy(half, []byte{0, byte(i + 1), 'X', 0})
			copy(half[4:], nonce[:12])
			subtle.XORBytes(half, half, subkey[:])
			block.Encrypt(half, half)
		}
		return newGCM(key[:]), nonce[12:]
	}}
}

// newKCXAES is specification 1 of eprint 2025/758. K_C is CMAC in counter mode
// over fixed data and a counter, which together are two blocks.
func newKCXAES(key []byte) cipher.AEAD {
	block := newAES(key)
	subkey := cmacSubkey(block)
	d := xaes(block)
	d.commit = func(nonce []byte) []byte {
		out := make([]byte, 0, 32)
		for counter := byte(1); counter <= 2; counter++ {
			message := append(make([]byte, 0, 32), "XCMT"...)
			message = append(message, nonce...)
			message = append(message, 0, 1, 0, counter)
			first, last := message[:16], message[16:]
			block.Encrypt(first, first)
			subtle.XORBytes(last, last, first)
			subtle.XORBytes(last, last, subkey[:])
			block.Encrypt(last, last)
			out = append(out, last...)
		}
		return out
	}
	return d
}

// cmacSubkey is the subkey K1 of CMAC, for a last block that is full.
func cmacSubkey(block cipher.Block) (k [16]byte) {
	block.Encrypt(k[:], k[:])
	carry := k[0] >> 7
	for i := range 15 {
		k[i] = k[i]<<1 | k[i+1]>>7
	}
	k[15] = k[15]<<1 ^ carry*0x87
	return k
}

func newHAES(key []byte) cipher.AEAD { return haes(key) }

func haes(key []byte) *derived {
	key = append([]byte(nil), key...)
	return &derived{nonce: 24, split: func(nonce []byte) (cipher.AEAD, []byte) {
		k := mac(key, []byte{0, 1, 'X', 0}, nonce[:12])
		defer clear(k)
		return newGCM(k), nonce[12:]
	}}
}

func newHKCAES(key []byte) cipher.AEAD {
	key = append([]byte(nil), key...)
	d := haes(key)
	d.commit = func(nonce []byte) []byte {
		return mac(key, []byte("XCMT"), nonce, []byte{0, 1, 0, 1})
	}
	return d
}

func newHKDFCommitted(key []byte) cipher.AEAD {
	key = append([]byte(nil), key...)
	derive := func(nonce []byte, info string) []byte {
		out, err := hkdf.Key(sha512.New, key, nonce, info, 32)
		if err != nil {
			panic(err)
		}
		return out
	}
	return &derived{
		nonce: 32,
		split: func(nonce []byte) (cipher.AEAD, []byte) {
			k := derive(nonce, "\x04\x78DERIVEKEY")
			defer clear(k)
			return newGCM(k), make([]byte, 12)
		},
		commit: func(nonce []byte) []byte { return derive(nonce, "COMMITKEY") },
	}
}

// paddingFix is GCM of 32 zeros and the plaintext. The ciphertext of the zeros
// is behind the tag.
type paddingFix struct{ gcm cipher.AEAD }

const padding = 32

func newPaddingFix(key []byte) cipher.AEAD { return paddingFix{newGCM(key)} }

func (paddingFix) NonceSize() int { return 12 }
func (paddingFix) Overhead() int  { return gcmTag + padding }

func (p paddingFix) Seal(dst, nonce, plaintext, _ []byte) []byte {
	padded := make([]byte, padding+len(plaintext), padding+len(plaintext)+gcmTag)
	copy(padded[padding:], plaintext)
	sealed := p.gcm.Seal(padded[:0], nonce, padded, nil)
	dst = append(dst, sealed[padding:]...)
	return append(dst, sealed[:padding]...)
}

func (p paddingFix) Open(dst, nonce, ciphertext, _ []byte) ([]byte, error) {
	end := len(ciphertext) - padding
	if end < gcmTag {
		return nil, errOpen
	}
	sealed := append(make([]byte, 0, len(ciphertext)), ciphertext[end:]...)
	sealed = append(sealed, ciphertext[:end]...)
	padded, err := p.gcm.Open(sealed[:0], nonce, sealed, nil)
	if err != nil {
		return nil, errOpen
	}
	defer clear(padded)
	if subtle.ConstantTimeCompare(padded[:padding], make([]byte, padding)) == 0 {
		return nil, errOpen
	}
	return append(dst, padded[padding:]...), nil
}

// ctx is GCM with HMAC(K, N ‖ T) in place of its tag T.
type ctx struct {
	key   []byte
	block cipher.Block
	gcm   cipher.AEAD
}

func newCTX(key []byte) cipher.AEAD {
	return &ctx{append([]byte(nil), key...), newAES(key), newGCM(key)}
}

func (*ctx) NonceSize() int { return 12 }
func (*ctx) Overhead() int  { return sha256.Size }

func (c *ctx) Seal(dst, nonce, plaintext, _ []byte) []byte {
	sealed := c.gcm.Seal(dst, nonce, plaintext, nil)
	tag := len(sealed) - gcmTag
	return append(sealed[:tag], mac(c.key, nonce, sealed[tag:])...)
}

// Open decrypts first, because T comes from sealing the plaintext again. The
// plaintext is wiped if the tag is wrong.
func (c *ctx) Open(dst, nonce, ciphertext, _ []byte) ([]byte, error) {
	end := len(ciphertext) - sha256.Size
	if end < 0 {
		return nil, errOpen
	}
	ciphertext, tag := ciphertext[:end], ciphertext[end:]
	plaintext := make([]byte, end)
	cipher.NewCTR(c.block, append(append(make([]byte, 0, 16), nonce...), 0, 0, 0, 2)).
		XORKeyStream(plaintext, ciphertext)
	sealed := c.gcm.Seal(nil, nonce, plaintext, nil)
	defer clear(plaintext)
	if subtle.ConstantTimeCompare(tag, mac(c.key, nonce, sealed[end:])) == 0 {
		return nil, errOpen
	}
	return append(dst, plaintext...), nil
}

// mac is HMAC-SHA-256 of the parts, one after the other.
func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}
