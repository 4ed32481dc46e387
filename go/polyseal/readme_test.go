package polyseal_test

//lint:file-ignore SA4006 the README leaves out what is done about errors

import (
	"bytes"
	"fmt"
	"io"

	"polyseal.invalid/polyseal"
)

// The lines of README.md, on a file of a few bytes.
func Example_readme() {
	before, recipient := polyseal.GenerateKey(), polyseal.GenerateKey()
	data, file := before.Text(), seal("meet at noon", nil, before)
	dst, src, size := &bytes.Buffer{}, bytes.NewReader(file), int64(len(file))
	header, _ := polyseal.ReadHeader(bytes.NewReader(file))

	key, err := polyseal.ParseKey(data)                                        // or NewPassphrase, AgeIdentity, AgeRecipient
	w, err := polyseal.NewWriter(dst, nil, key)                                // io.Copy(w, plaintext), then w.Close() if that succeeded
	r, err := polyseal.NewReader(src, nil, key)                                // io.Copy(plaintext, r)
	f, err := polyseal.Open(src, size, nil, key)                               // f.ReadAt: any part, without the rest
	h, err := polyseal.Rekey(header, nil, []polyseal.Identity{key}, recipient) // who can open it from now on

	text, _ := io.ReadAll(r)
	fmt.Printf("%s, %d bytes\n", text, f.Size())
	io.WriteString(w, "meet at noon")
	fmt.Println(err, w.Close(), h != header)
	// Output:
	// meet at noon, 12 bytes
	// <nil> <nil> true
}
