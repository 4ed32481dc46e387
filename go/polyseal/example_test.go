package polyseal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"filippo.io/age"

	"polyseal.invalid/polyseal"
)

func Example() {
	key := polyseal.GenerateKey()

	var file bytes.Buffer
	w, err := polyseal.NewWriter(&file, nil, key)
	if err != nil {
		log.Fatal(err)
	}
	io.WriteString(w, "meet at noon\n")
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	r, err := polyseal.NewReader(&file, nil, key)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(os.Stdout, r); err != nil {
		log.Fatal(err)
	}
	// Output: meet at noon
}

// seal is the file that the examples below read.
func seal(text string, opts *polyseal.WriteOptions, recipients ...polyseal.Recipient) []byte {
	var file bytes.Buffer
	w, err := polyseal.NewWriter(&file, opts, recipients...)
	if err != nil {
		log.Fatal(err)
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return file.Bytes()
}

// Any part can be read without the rest.
func ExampleOpen() {
	key := polyseal.GenerateKey()
	file := seal("meet at noon", nil, key)

	f, err := polyseal.Open(bytes.NewReader(file), int64(len(file)), nil, key)
	if err != nil {
		log.Fatal(err)
	}
	part := make([]byte, 4)
	if _, err := f.ReadAt(part, 8); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, of %d bytes\n", part, f.Size())
	// Output: noon, of 12 bytes
}

// A file for an age recipient, bound to its name.
func ExampleAgeRecipient() {
	identity, err := age.GenerateHybridIdentity()
	if err != nil {
		log.Fatal(err)
	}
	context := []byte("notes.txt")
	file := seal("meet at noon", &polyseal.WriteOptions{Context: context}, polyseal.AgeRecipient(identity.Recipient()))

	_, err = polyseal.NewReader(bytes.NewReader(file), nil, polyseal.AgeIdentity(identity))
	fmt.Println(errors.Is(err, polyseal.ErrContextMissing))
	r, err := polyseal.NewReader(bytes.NewReader(file), &polyseal.ReadOptions{Context: context}, polyseal.AgeIdentity(identity))
	if err != nil {
		log.Fatal(err)
	}
	plaintext, err := io.ReadAll(r)
	fmt.Printf("%s %v\n", plaintext, err)
	// Output:
	// true
	// meet at noon <nil>
}

// A header says what it says without a key.
func ExampleReadHeader() {
	file := seal("meet at noon", nil, polyseal.GenerateKey(), polyseal.GenerateKey())

	h, err := polyseal.ReadHeader(bytes.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Suite(), h.SegmentSize(), len(h.Stanzas()), h.HasContext())
	// Output: aes-256-gcm 65536 2 false
}

// Another key opens the file from now on. Only the header changes.
func ExampleRekey() {
	before, after := polyseal.GenerateKey(), polyseal.GenerateKey()
	file := seal("meet at noon", nil, before)

	h, err := polyseal.ReadHeader(bytes.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	h, err = polyseal.Rekey(h, nil, []polyseal.Identity{before}, after)
	if err != nil {
		log.Fatal(err)
	}
	copy(file, h.Bytes())

	_, err = polyseal.NewReader(bytes.NewReader(file), nil, before)
	fmt.Println(err)
	_, err = polyseal.NewReader(bytes.NewReader(file), nil, after)
	fmt.Println(err)
	// Output:
	// polyseal: no key opens this file
	// <nil>
}

// An altered file is refused, and the error says where.
func ExampleSegmentError() {
	key := polyseal.GenerateKey()
	file := seal("meet at noon", nil, key)
	file[len(file)-1] ^= 1

	_, err := polyseal.Open(bytes.NewReader(file), int64(len(file)), nil, key)
	var altered *polyseal.SegmentError
	fmt.Println(errors.As(err, &altered), altered.Number)
	// Output: true 0
}

func ExampleNewArmorReader() {
	key := polyseal.GenerateKey()
	var text bytes.Buffer
	a := polyseal.NewArmorWriter(&text)
	a.Write(seal("meet at noon", nil, key))
	if err := a.Close(); err != nil {
		log.Fatal(err)
	}

	fmt.Println(polyseal.IsArmor(text.Bytes()[0]))
	r, err := polyseal.NewReader(polyseal.NewArmorReader(&text), nil, key)
	if err != nil {
		log.Fatal(err)
	}
	plaintext, err := io.ReadAll(r)
	fmt.Printf("%s %v\n", plaintext, err)
	// Output:
	// true
	// meet at noon <nil>
}

func ExampleOpenTree() {
	key := polyseal.GenerateKey()
	root, err := os.OpenRoot("album.sealed")
	if err != nil {
		fmt.Println("there is no album here")
		return
	}
	defer root.Close()
	tree, err := polyseal.OpenTree(polyseal.RootFS(root), nil, key)
	if err != nil {
		log.Fatal(err)
	}
	if err := tree.Incomplete(); err != nil {
		log.Print(err)
	}
	var out bytes.Buffer
	if _, err := tree.WriteFile(&out, "may/one"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Len(), "bytes")
	// Output: there is no album here
}
