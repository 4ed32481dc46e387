package polyseal

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// repeated gives the same bytes up to n of them.
type repeated struct{ n int64 }

func (r *repeated) Read(b []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), r.n))
	r.n -= int64(n)
	return n, nil
}

var benchSuites = []Suite{AES256GCM, AES128GCM, XAES256GCM, KCXAES256GCM, HAES256GCM, HKCAES256GCM,
	HKDFCommittedAES256GCM, PaddingFixAES256GCM, CTXAES256GCM, AEGIS128L, AEGIS128LTag32, AEGIS128X2, AEGIS128X2Tag32,
	AEGIS128X4, AEGIS128X4Tag32, AEGIS256, AEGIS256Tag32, AEGIS256X2, AEGIS256X2Tag32, AEGIS256X4, AEGIS256X4Tag32,
	CTXAEGIS128L, CTXAEGIS128X2, CTXAEGIS128X4, CTXAEGIS256, CTXAEGIS256X2, CTXAEGIS256X4}

const benchSize = 64 << 20

func BenchmarkWriter(b *testing.B) {
	for _, suite := range benchSuites {
		b.Run(string(suite), func(b *testing.B) {
			key := GenerateKey()
			b.SetBytes(benchSize)
			b.ReportAllocs()
			for b.Loop() {
				w, err := NewWriter(io.Discard, &WriteOptions{Suite: suite, Goroutines: 1}, key)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.ReadFrom(&repeated{benchSize}); err != nil {
					b.Fatal(err)
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReader(b *testing.B) {
	for _, suite := range benchSuites {
		b.Run(string(suite), func(b *testing.B) {
			key := GenerateKey()
			file := seal(b, make([]byte, benchSize), &WriteOptions{Suite: suite}, key)
			b.SetBytes(benchSize)
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(file), &ReadOptions{Goroutines: 1}, key)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := r.WriteTo(io.Discard); err != nil || n != benchSize {
					b.Fatal(n, err)
				}
			}
		})
	}
}

func BenchmarkReadAt(b *testing.B) {
	key := GenerateKey()
	file := seal(b, make([]byte, benchSize), nil, key)
	f, err := Open(bytes.NewReader(file), int64(len(file)), nil, key)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 4096, 65536, 1 << 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			buf := make([]byte, n)
			at := int64(0)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.ReadAt(buf, at); err != nil {
					b.Fatal(err)
				}
				at = (at + 3<<20) % (benchSize - 1<<20)
			}
		})
	}
}
