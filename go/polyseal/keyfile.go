package polyseal

// Key files: section 8 of the specification.

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"io"
)

const (
	keyLength      = 32
	keyFileMaximum = 16384
	keyPrefix      = "polyseal-key-1-"
)

var byteOrderMark = []byte{0xef, 0xbb, 0xbf}

// A Key is the content of a key file: 32 bytes that encrypt and decrypt. It is
// a [Recipient] and an [Identity]. The zero value is no key.
type Key struct {
	secret hidden
}

// GenerateKey makes a random key.
func GenerateKey() *Key {
	b := make([]byte, keyLength)
	rand.Read(b)
	return &Key{hide(b)}
}

// ParseKey reads the content of a key file: 32 bytes, or a text of at most
// 16384 bytes with one line that has the key. The error is a [KeyFileError].
func ParseKey(data []byte) (*Key, error) {
	if len(data) == keyLength {
		if isText(data) {
			return nil, &KeyFileError{"32 printable characters are a password, not a key"}
		}
		return &Key{hide(bytes.Clone(data))}, nil
	}
	if len(data) > keyFileMaximum {
		return nil, &KeyFileError{"longer than 16384 bytes"}
	}
	return parseKeyText(bytes.TrimPrefix(data, byteOrderMark))
}

// ReadKey reads a key file from r, at most 16385 bytes of it.
func ReadKey(r io.Reader) (*Key, error) {
	data, err := io.ReadAll(io.LimitReader(r, keyFileMaximum+1))
	defer clear(data)
	if err != nil {
		return nil, err
	}
	return ParseKey(data)
}

// bytes is nil for nil and for the zero value.
func (k *Key) bytes() []byte {
	if k == nil {
		return nil
	}
	return k.secret.bytes()
}

// Text returns the key as the text of a key file: one line of 80 bytes.
func (k *Key) Text() []byte {
	text := append(make([]byte, 0, 80), keyPrefix...)
	return append(hex.AppendEncode(text, k.bytes()), '\n')
}

// String does not show the key, so that no log has it by accident.
func (Key) String() string { return "polyseal.Key(secret)" }

// GoString does not show the key either.
func (k Key) GoString() string { return k.String() }

// Wipe overwrites the key, for copies of the Key as well. The remains are no
// key: nothing is encrypted with it.
func (k *Key) Wipe() { k.secret.wipe() }

// isText says whether all bytes are printable, tab, LF or CR. It looks at all
// of them in the same way, because they may be a key.
func isText(data []byte) bool {
	all := 1
	for _, b := range data {
		c := int(b)
		printable := subtle.ConstantTimeLessOrEq(0x20, c) & subtle.ConstantTimeLessOrEq(c, 0x7e)
		all &= printable | subtle.ConstantTimeEq(int32(c), '\t') | subtle.ConstantTimeEq(int32(c), '\n') |
			subtle.ConstantTimeEq(int32(c), '\r')
	}
	return all == 1
}

func parseKeyText(text []byte) (*Key, error) {
	var key *Key
	for len(text) > 0 {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		text = rest
		if ended {
			line = bytes.TrimSuffix(line, []byte{'\r'})
		}
		line = bytes.Trim(line, " \t")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		digits, ok := bytes.CutPrefix(line, []byte(keyPrefix))
		if !ok || len(digits) != 2*keyLength {
			return nil, &KeyFileError{"a line is neither a key nor a comment"}
		}
		if key != nil {
			return nil, &KeyFileError{"more than one key"}
		}
		key = &Key{hide(make([]byte, keyLength))}
		if _, err := hex.Decode(key.bytes(), digits); err != nil {
			return nil, &KeyFileError{"not 64 hexadecimal digits"}
		}
	}
	if key == nil {
		return nil, &KeyFileError{"no line with a key"}
	}
	return key, nil
}
