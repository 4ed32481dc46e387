package polyseal

// Passphrases: type 2 of section 4 of the specification.

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/argon2"
)

const passphraseMaximum = 4096

// argonParameters are Argon2id's. memory is in KiB.
type argonParameters struct{ memory, passes, lanes uint32 }

// writerArgon is the second recommended option of RFC 9106.
var writerArgon = argonParameters{memory: 65536, passes: 3, lanes: 4}

func parseArgon(body []byte) (*argonParameters, error) {
	if len(body) != 12 {
		return nil, badHeader("a passphrase stanza of another length")
	}
	p := &argonParameters{
		memory: binary.LittleEndian.Uint32(body),
		passes: binary.LittleEndian.Uint32(body[4:]),
		lanes:  binary.LittleEndian.Uint32(body[8:]),
	}
	if p.lanes < 1 || p.lanes > 16 || p.passes < 1 || p.passes > 10 ||
		p.memory < 8*p.lanes || p.memory > 262144 {
		return nil, badHeader("Argon2id parameters out of bounds")
	}
	return p, nil
}

func (p *argonParameters) bytes() []byte {
	b := binary.LittleEndian.AppendUint32(nil, p.memory)
	b = binary.LittleEndian.AppendUint32(b, p.passes)
	return binary.LittleEndian.AppendUint32(b, p.lanes)
}

func (p *argonParameters) stretch(passphrase, salt []byte) []byte {
	return argon2.IDKey(passphrase, salt, p.passes, p.memory, uint8(p.lanes), keyLength)
}

// A Passphrase encrypts and decrypts. It is a [Recipient] and an [Identity].
//
// As a recipient it stands alone: a file that it opens has no other recipient.
// Encrypting takes 64 MiB of memory, and decrypting at most 256 MiB. The zero
// value is no passphrase.
type Passphrase struct {
	secret hidden
	cost   argonParameters
}

// NewPassphrase copies a passphrase of 1 to 4096 bytes. They are taken as they
// are: remove the end of the line before, and encode typed text in UTF-8.
func NewPassphrase(passphrase []byte) (*Passphrase, error) {
	if len(passphrase) < 1 || len(passphrase) > passphraseMaximum {
		return nil, errors.New("polyseal: a passphrase has 1 to 4096 bytes")
	}
	return &Passphrase{hide(bytes.Clone(passphrase)), writerArgon}, nil
}

// bytes is nil for nil and for the zero value.
func (p *Passphrase) bytes() []byte {
	if p == nil {
		return nil
	}
	return p.secret.bytes()
}

// String does not show the passphrase.
func (Passphrase) String() string { return "polyseal.Passphrase(secret)" }

// GoString does not show the passphrase either.
func (p Passphrase) GoString() string { return p.String() }

// Wipe overwrites the passphrase, for copies of the Passphrase as well. The
// remains are no passphrase: nothing is encrypted with it.
func (p *Passphrase) Wipe() { p.secret.wipe() }
