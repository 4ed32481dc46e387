// Package xaes measures XAES-256-GCM in Go: filippo.io/xaes256gcm over the
// AES-GCM of Go's standard library. It is no part of the interleaved runs of
// polyseal-bench.
package xaes

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"testing"

	"filippo.io/xaes256gcm"
)

var sizes = []int{16, 256, 1024, 4096, 16384, 65536, 262144, 1048576}

// A vector of the specification, c2sp.org/XAES-256-GCM.
func TestVector(t *testing.T) {
	aead, err := xaes256gcm.NewWithManualNonces(bytes.Repeat([]byte{3}, xaes256gcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	nonce, ad := []byte("ABCDEFGHIJKLMNOPQRSTUVWX"), []byte("c2sp.org/XAES-256-GCM")
	sealed := aead.Seal(nil, nonce, []byte("XAES-256-GCM"), ad)
	const expected = "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"
	if hex.EncodeToString(sealed) != expected {
		t.Fatalf("%x", sealed)
	}
}

// One key, a nonce for each message, no associated data; in place, as far as
// Go's interface has that.
func BenchmarkXAES(b *testing.B) {
	aead, err := xaes256gcm.NewWithManualNonces(make([]byte, xaes256gcm.KeySize))
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range sizes {
		nonce := make([]byte, xaes256gcm.NonceSize)
		buffer := make([]byte, size+xaes256gcm.OverheadWithManualNonces)
		b.Run(fmt.Sprintf("seal/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for i := 0; b.Loop(); i++ {
				nonce[0], nonce[1], nonce[2] = byte(i), byte(i>>8), byte(i>>16)
				aead.Seal(buffer[:0], nonce, buffer[:size], nil)
			}
		})
		sealed := aead.Seal(nil, nonce, buffer[:size], nil)
		b.Run(fmt.Sprintf("open/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := aead.Open(buffer[:0], nonce, sealed, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
