package polyseal

// The suites of AEGIS: the vectors of CTX with it, and which suites are left
// out. The vectors of AEGIS itself are in internal/aegis; its files are in the
// conformance kit.

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestCTXAEGISVectors(t *testing.T) {
	for suite, a := range algorithms {
		if !strings.HasPrefix(string(suite), "ctx-aegis") {
			continue
		}
		var file struct {
			TestGroups []struct {
				Tests []struct {
					TcID                               int
					Key, IV, Aad, Msg, Ct, Tag, Result string
				}
			}
		}
		readJSON(t, vectors(t, string(suite)+".json"), &file)
		count := 0
		for _, g := range file.TestGroups {
			for _, c := range g.Tests {
				if c.Aad != "" || c.Result != "valid" {
					continue // segments have no associated data
				}
				count++
				aead := a.new(unhex(c.Key))
				nonce, message, sealed := unhex(c.IV), unhex(c.Msg), unhex(c.Ct+c.Tag)
				if got := aead.Seal(nil, nonce, message, nil); !bytes.Equal(got, sealed) {
					t.Errorf("%s %d: sealed %x", suite, c.TcID, got)
				}
				for at := range sealed {
					altered := bytes.Clone(sealed)
					altered[at] ^= 1
					if got, err := aead.Open(altered[:0], nonce, altered, nil); err == nil || got != nil || !isZero(altered[:len(message)]) {
						t.Errorf("%s %d: %v, and %x is left", suite, c.TcID, err, altered)
					}
				}
				if got, err := aead.Open(sealed[:0], nonce, sealed, nil); err != nil || !bytes.Equal(got, message) {
					t.Errorf("%s %d: %x, %v", suite, c.TcID, got, err)
				}
				if _, err := aead.Open(nil, nonce, sealed[:31], nil); err == nil {
					t.Errorf("%s: less than a tag opens", suite)
				}
			}
		}
		if count == 0 {
			t.Errorf("%s: no vectors without associated data", suite)
		}
	}
}

// TestUnsupportedSuites has those that only the tool computes, and what their
// error advises.
func TestUnsupportedSuites(t *testing.T) {
	var names []string
	for _, suite := range Suites() {
		if suite.Supported() {
			continue
		}
		names = append(names, string(suite))
		_, err := NewWriter(new(bytes.Buffer), &WriteOptions{Suite: suite}, GenerateKey())
		if !errors.Is(err, ErrUnsupportedSuite) || !strings.Contains(err.Error(), "polyseal encrypt --portable") {
			t.Errorf("%s: %v", suite, err)
		}
	}
	const want = "dndk-gcm dndk-gcm:kc=1 flex-civ flex-civ-public flex-och flex-och-public flex-och-transport flex-robust " +
		"omd-blake2b omd-sha256 omd-sha512"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("unsupported: %s", got)
	}
}
