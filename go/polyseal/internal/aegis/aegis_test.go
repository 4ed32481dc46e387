package aegis

// The vectors of the specification, of research/reference/aegis.py and of
// Wycheproof, by every engine that this machine has; and the engines against
// one another at lengths that no vector has.

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var variants = map[string]Variant{
	"aegis-128l": AEGIS128L, "aegis-128x2": AEGIS128X2, "aegis-128x4": AEGIS128X4,
	"aegis-256": AEGIS256, "aegis-256x2": AEGIS256X2, "aegis-256x4": AEGIS256X4,
}

// vectors reads a file of the folder of POLYSEAL_VECTORS, or of a folder
// vectors above this one.
func vectors(t *testing.T, name string, into any) {
	t.Helper()
	var tried []string
	if all := os.Getenv("POLYSEAL_VECTORS"); all != "" {
		tried = append(tried, filepath.Join(all, name))
	} else {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			tried = append(tried, filepath.Join(dir, "vectors", name))
		}
	}
	for _, path := range tried {
		if data, err := os.ReadFile(path); err == nil {
			if err := json.Unmarshal(data, into); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no test vectors; looked in %q", tried)
}

type hexBytes []byte

func (b *hexBytes) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	var err error
	*b, err = hex.DecodeString(s)
	return err
}

type vector struct {
	TcID                       int
	Key, IV, Aad, Msg, Ct, Tag hexBytes
	Result                     string
}

func everyEngine(t *testing.T, f func(t *testing.T, e engine)) {
	for e, name := range engines {
		t.Run(name, func(t *testing.T) { f(t, e) })
	}
}

func TestVectors(t *testing.T) {
	everyEngine(t, func(t *testing.T, e engine) {
		for name, v := range variants {
			runVectors(t, e, name+".json", v)
		}
		runVectors(t, e, "wycheproof-aegis-128l.json", AEGIS128L)
		runVectors(t, e, "wycheproof-aegis-256.json", AEGIS256)
	})
}

func runVectors(t *testing.T, e engine, file string, v Variant) {
	var all struct {
		NumberOfTests int
		TestGroups    []struct{ Tests []vector }
	}
	vectors(t, file, &all)
	valid, invalid := 0, 0
	for _, g := range all.TestGroups {
		for _, c := range g.Tests {
			a := newWith(e, v, c.Key, len(c.Tag))
			sealed := append(append([]byte(nil), c.Ct...), c.Tag...)
			if c.Result == "valid" {
				valid++
				if got := a.Seal(nil, c.IV, c.Msg, c.Aad); !bytes.Equal(got, sealed) {
					t.Errorf("%s %d: sealed %x instead of %x", file, c.TcID, got, sealed)
				}
				if got, err := a.Open(nil, c.IV, sealed, c.Aad); err != nil || !bytes.Equal(got, c.Msg) {
					t.Errorf("%s %d: opened %x (%v) instead of %x", file, c.TcID, got, err, c.Msg)
				}
				for _, at := range []int{0, len(c.Ct) - 1, len(c.Ct), len(sealed) - 1} {
					if at >= 0 {
						altered := bytes.Clone(sealed)
						altered[at] ^= 0x10
						refused(t, a, c, altered, file)
					}
				}
				refused(t, a, c, sealed[:len(sealed)-1], file)
			} else {
				invalid++
				refused(t, a, c, sealed, file)
			}
		}
	}
	if valid+invalid != all.NumberOfTests || valid == 0 || invalid == 0 {
		t.Errorf("%s: %d valid and %d invalid of %d", file, valid, invalid, all.NumberOfTests)
	}
}

// refused opens in place, and looks for plaintext where the ciphertext was.
func refused(t *testing.T, a *AEAD, c vector, sealed []byte, file string) {
	t.Helper()
	buf := bytes.Clone(sealed)
	if got, err := a.Open(buf[:0], c.IV, buf, c.Aad); err == nil || got != nil {
		t.Errorf("%s %d: opened an altered message: %x", file, c.TcID, got)
	}
	if end := len(sealed) - a.tag; end >= 0 && !bytes.Equal(buf[:end], make([]byte, end)) {
		t.Errorf("%s %d: what was decrypted is still there", file, c.TcID)
	}
}

func TestEnginesAgree(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	fill := func(n int) []byte { b := make([]byte, n); random.Read(b); return b }
	for name, v := range variants {
		for _, tag := range []int{16, 32} {
			key, nonce := fill(v.KeySize()), fill(v.KeySize())
			for n := range 4*v.rate() + 3 {
				message, ad := fill(n), fill(n*7%301)
				want := newWith(portableEngine, v, key, tag).Seal(nil, nonce, message, ad)
				for e, engine := range engines {
					a := newWith(e, v, key, tag)
					buf := append(bytes.Clone(message), make([]byte, tag)...)
					if got := a.Seal(buf[:0], nonce, buf[:n], ad); !bytes.Equal(got, want) {
						t.Fatalf("%s, %s, %d bytes: sealed differently", name, engine, n)
					}
					prefix := []byte("prefix")
					if got, err := a.Open(prefix, nonce, buf, ad); err != nil || string(got) != "prefix"+string(message) {
						t.Fatalf("%s, %s, %d bytes: %v", name, engine, n, err)
					}
					if got, err := a.Open(buf[:0], nonce, buf, ad); err != nil || !bytes.Equal(got, message) {
						t.Fatalf("%s, %s, %d bytes in place: %v", name, engine, n, err)
					}
				}
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	a := New(AEGIS256X2, make([]byte, 32), 16)
	nonce, buf := make([]byte, 32), make([]byte, 1000+16)
	if n := testing.AllocsPerRun(10, func() {
		a.Seal(buf[:0], nonce, buf[:1000], nil)
		if _, err := a.Open(buf[:0], nonce, buf, nil); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestWrongLengths(t *testing.T) {
	for name, f := range map[string]func(){
		"key":   func() { New(AEGIS128L, make([]byte, 32), 16) },
		"tag":   func() { New(AEGIS128L, make([]byte, 16), 24) },
		"nonce": func() { New(AEGIS256, make([]byte, 32), 16).Seal(nil, make([]byte, 16), nil, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a %s of a wrong length is taken", name)
				}
			}()
			f()
		}()
	}
}

// BenchmarkSegment has, beside every engine, Go's AES-256-GCM.
func BenchmarkSegment(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		for _, e := range slices.Sorted(maps.Keys(engines)) {
			v := variants[name]
			benchmarkSegment(b, name+"/"+engines[e], newWith(e, v, make([]byte, v.KeySize()), 16))
		}
	}
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		b.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkSegment(b, "aes-256-gcm/crypto", gcm)
}

func benchmarkSegment(b *testing.B, name string, a cipher.AEAD) {
	const size = 64 << 10
	nonce, buf := make([]byte, a.NonceSize()), make([]byte, size+a.Overhead())
	b.Run(name+"/seal", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			a.Seal(buf[:0], nonce, buf[:size], nil)
		}
	})
	sealed := a.Seal(nil, nonce, make([]byte, size), nil)
	b.Run(name+"/open", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if _, err := a.Open(buf[:0], nonce, sealed, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
