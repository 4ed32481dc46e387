package polyseal

import (
	"bytes"
	"io"
	"testing"
)

// seal returns a file with this plaintext.
func seal(t testing.TB, plaintext []byte, o *WriteOptions, recipients ...Recipient) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, o, recipients...)
	if err == nil {
		_, err = w.Write(plaintext)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open returns the plaintext of a file, by a sequential reader.
func open(t testing.TB, file []byte, o *ReadOptions, ids ...Identity) []byte {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), o, ids...)
	if err != nil {
		t.Fatal(err)
	}
	plaintext, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plaintext
}

// pattern is n bytes that differ from place to place.
func pattern(n int) []byte {
	b := make([]byte, n)
	x := uint32(n)*2654435761 + 12345
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}
