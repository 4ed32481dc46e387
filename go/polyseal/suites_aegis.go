package polyseal

// The suites of AEGIS, and of CTX with it. As in suites_gcm.go, each is a
// [cipher.AEAD] that ignores associated data. Where the processor has no
// instructions for AES, they are slow: see internal/aegis.

import (
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
	"slices"

	"polyseal.invalid/polyseal/internal/aegis"
)

func newAEGIS(v aegis.Variant, tag int) func([]byte) cipher.AEAD {
	return func(key []byte) cipher.AEAD { return aegis.New(v, key, tag) }
}

// ctxAEGIS is AEGIS with HMAC(K, N ‖ T) in place of its tag T of 16 bytes.
type ctxAEGIS struct {
	key  []byte
	aead *aegis.AEAD
}

func newCTXAEGIS(v aegis.Variant) func([]byte) cipher.AEAD {
	return func(key []byte) cipher.AEAD {
		return &ctxAEGIS{slices.Clone(key), aegis.New(v, key, 16)}
	}
}

func (c *ctxAEGIS) NonceSize() int { return c.aead.NonceSize() }
func (*ctxAEGIS) Overhead() int    { return sha256.Size }

func (c *ctxAEGIS) Seal(dst, nonce, plaintext, _ []byte) []byte {
	sealed := c.aead.Seal(dst, nonce, plaintext, nil)
	tag := len(sealed) - c.aead.Overhead()
	return append(sealed[:tag], mac(c.key, nonce, sealed[tag:])...)
}

// Open decrypts first, because T comes from the plaintext. The plaintext is
// wiped if the tag is wrong.
func (c *ctxAEGIS) Open(dst, nonce, ciphertext, _ []byte) ([]byte, error) {
	end := len(ciphertext) - sha256.Size
	if end < 0 {
		return nil, errOpen
	}
	n := len(dst)
	dst = slices.Grow(dst, end)[:n+end]
	inner := c.aead.Decrypt(dst[n:], nonce, ciphertext[:end], nil)
	if subtle.ConstantTimeCompare(ciphertext[end:], mac(c.key, nonce, inner)) == 0 {
		clear(dst[n:])
		return nil, errOpen
	}
	return dst, nil
}
