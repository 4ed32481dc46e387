// Polyseal-cat prints a file, or a part of it.
//
//	polyseal-cat [-k KEYFILE] [-i IDENTITIES] [-p PASSPHRASEFILE] [-context TEXT] [-offset N] [-length N]
//	             [-signers FILE [-by NAME] [-signature FILE]] [-verify] FILE
//
// With -signers, nothing is printed but what one of them has signed. With
// -verify, the file is compared with its statement, without a key.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"time"

	"filippo.io/age"

	"polyseal.invalid/polyseal"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("polyseal-cat: ")
	key := flag.String("k", "", "open with this `key file`")
	identities := flag.String("i", "", "open with the age identities in this `file`")
	passphrase := flag.String("p", "", "open with the passphrase in this `file`: its first line")
	context := flag.String("context", "", "the `text` that the file is bound to")
	offset := flag.Int64("offset", 0, "begin at this byte")
	signers := flag.String("signers", "", "print only what is signed by one of the list in this `file`")
	by := flag.String("by", "", "with -signers, only by the signer of this `name`")
	signature := flag.String("signature", "", "with -signers, the statement is in this `file`, and not in FILE.sig")
	verify := flag.Bool("verify", false, "with -signers, only say who has signed the file; needs no key")
	length := flag.Int64("length", math.MaxInt64, "print at most this many bytes")
	flag.Parse()
	if flag.NArg() != 1 || *offset < 0 || *length < 0 || *signers == "" && (*by != "" || *signature != "" || *verify) {
		flag.Usage()
		os.Exit(2)
	}

	var ids []polyseal.Identity
	if *key != "" {
		k, err := polyseal.ParseKey(read(*key))
		check(err)
		ids = append(ids, k)
	}
	if *identities != "" {
		all, err := age.ParseIdentities(bytes.NewReader(read(*identities)))
		check(err)
		for _, i := range all {
			ids = append(ids, polyseal.AgeIdentity(i))
		}
	}
	if *passphrase != "" {
		line, _, _ := bytes.Cut(read(*passphrase), []byte{'\n'})
		p, err := polyseal.NewPassphrase(bytes.TrimSuffix(line, []byte{'\r'}))
		check(err)
		ids = append(ids, p)
	}

	src, err := os.Open(flag.Arg(0))
	check(err)
	size, err := src.Seek(0, io.SeekEnd)
	check(err)
	options := &polyseal.ReadOptions{Context: []byte(*context)}
	if *signers != "" {
		list, err := polyseal.ParseSigners(read(*signers))
		check(err)
		path := *signature
		if path == "" {
			path = flag.Arg(0) + ".sig"
		}
		sig, err := os.Open(path)
		check(err)
		sigSize, err := sig.Seek(0, io.SeekEnd)
		check(err)
		options.Statement, err = list.ReadStatement(sig, sigSize, *by, time.Now())
		check(err)
	}
	if *verify {
		check(options.Statement.VerifyStored(src, size))
		signer := options.Statement.Signer
		fmt.Printf("contents as they were signed by %s, %s\n", signer.Principal, signer.Fingerprint)
		return
	}
	f, err := polyseal.Open(src, size, options, ids...)
	check(err)
	if *offset < f.Size() {
		_, err = io.Copy(os.Stdout, f.Section(*offset, min(*length, f.Size()-*offset)))
	}
	check(err)
}

func read(path string) []byte {
	data, err := os.ReadFile(path)
	check(err)
	return data
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
