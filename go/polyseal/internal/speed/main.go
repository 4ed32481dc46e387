// Speed encrypts or decrypts a file with a key file, in one goroutine, and
// prints the seconds that it took. The script bench compares it with the tool.
//
//	speed encrypt|decrypt KEYFILE IN OUT [SUITE]
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"polyseal.invalid/polyseal"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 5 {
		log.Fatal("usage: speed encrypt|decrypt KEYFILE IN OUT [SUITE]")
	}
	start := time.Now()
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5:]); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", time.Since(start).Seconds())
}

func run(what, keyFile, in, out string, suite []string) error {
	data, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	key, err := polyseal.ParseKey(data)
	if err != nil {
		return err
	}
	src, err := os.Open(in)
	if err != nil {
		return err
	}
	dst, err := os.Create(out)
	if err != nil {
		return err
	}
	if what == "decrypt" {
		r, err := polyseal.NewReader(src, &polyseal.ReadOptions{Goroutines: 1}, key)
		if err != nil {
			return err
		}
		_, err = io.Copy(dst, r)
		return err
	}
	opts := &polyseal.WriteOptions{Goroutines: 1}
	if len(suite) > 0 {
		opts.Suite = polyseal.Suite(suite[0])
	}
	w, err := polyseal.NewWriter(dst, opts, key)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, src); err != nil {
		return err
	}
	return w.Close()
}
