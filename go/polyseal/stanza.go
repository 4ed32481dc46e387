package polyseal

// Stanzas: section 4 of the specification.

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"slices"
)

// A StanzaType is how a stanza gives the key to the file.
type StanzaType uint16

// The types of stanzas. Those from StanzaPassedOver to 0xffff are passed over.
const (
	StanzaKeyFile    StanzaType = 1
	StanzaPassphrase StanzaType = 2
	StanzaAge        StanzaType = 3
	StanzaPassedOver StanzaType = 0x8000
)

// The offsets in a stanza.
const (
	atLength     = 2
	atStanzaSalt = 4
	atKeyID      = 36
	atWrapped    = 44
	atBody       = 76

	stanzaOverhead = 104 // of the length field: all but type, length and n
	tagLength      = 32
)

// A StanzaInfo is what a stanza says without a key.
type StanzaInfo struct {
	Type StanzaType
	// AgeTypes are the types of the recipient stanzas of an age stanza, such
	// as X25519, and Labels are its labels.
	AgeTypes, Labels []string
	// Memory (KiB), Passes and Lanes are Argon2id's, of a passphrase stanza.
	Memory, Passes, Lanes uint32
}

// stanza is a stanza of a header. raw has all its bytes.
type stanza struct {
	kind StanzaType
	raw  []byte
	// One of these is set, by kind.
	argon *argonParameters
	age   *ageBody
}

// parseStanza reads the first stanza of b, which ends before the header MAC.
func parseStanza(b []byte) (s stanza, n int, err error) {
	if len(b) < atStanzaSalt {
		return s, 0, badHeader("a stanza does not fit")
	}
	s.kind = StanzaType(binary.LittleEndian.Uint16(b))
	length := int(binary.LittleEndian.Uint16(b[atLength:]))
	n = atStanzaSalt + length
	if n > len(b) {
		return s, 0, badHeader("a stanza does not fit")
	}
	s.raw = b[:n:n]
	switch {
	case s.kind >= StanzaPassedOver:
		return s, n, nil
	case s.kind < StanzaKeyFile || s.kind > StanzaAge:
		return s, 0, badHeader("a stanza of type %d", s.kind)
	case length < stanzaOverhead:
		return s, 0, badHeader("a stanza of %d bytes", length)
	}
	switch body := s.body(); s.kind {
	case StanzaKeyFile:
		if len(body) != 0 {
			err = badHeader("a key-file stanza of %d bytes", length)
		}
	case StanzaPassphrase:
		s.argon, err = parseArgon(body)
	case StanzaAge:
		s.age, err = parseAge(body)
	}
	return s, n, err
}

// checkStanzas checks what concerns several stanzas of one header.
func checkStanzas(all []stanza) error {
	recipients := 0
	var labels *ageBody
	for _, s := range all {
		recipients += s.recipients()
		if s.kind == StanzaPassphrase && len(all) > 1 {
			return badHeader("a passphrase stanza is not alone")
		}
		if s.kind == StanzaAge {
			if labels != nil && !slices.Equal(labels.labels, s.age.labels) {
				return badHeader("age stanzas with different labels")
			}
			labels = s.age
		}
	}
	if recipients > stanzasMaximum {
		return badHeader("%d recipients", recipients)
	}
	return nil
}

// recipients is the number of recipients that the stanza counts as.
func (s *stanza) recipients() int {
	if s.kind == StanzaAge {
		return len(s.age.recipients)
	}
	return 1
}

func (s *stanza) body() []byte { return s.raw[atBody : len(s.raw)-tagLength] }

func (s *stanza) salt() []byte { return s.raw[atStanzaSalt:atKeyID] }

func (s *stanza) info() StanzaInfo {
	i := StanzaInfo{Type: s.kind}
	if s.age != nil {
		i.Labels = slices.Clone(s.age.labels)
		for _, r := range s.age.recipients {
			i.AgeTypes = append(i.AgeTypes, r.Type)
		}
	}
	if s.argon != nil {
		i.Memory, i.Passes, i.Lanes = s.argon.memory, s.argon.passes, s.argon.lanes
	}
	return i
}

// stanzaKeys are what a wrapping key gives for one stanza.
type stanzaKeys struct{ all []byte }

func deriveStanza(wrapping, salt []byte, kind StanzaType) stanzaKeys {
	label := binary.LittleEndian.AppendUint16([]byte("polyseal-file/1 stanza"), uint16(kind))
	return stanzaKeys{expand(wrapping, salt, string(label), 72)}
}

func (k stanzaKeys) id() []byte  { return k.all[:8] }
func (k stanzaKeys) pad() []byte { return k.all[8:40] }
func (k stanzaKeys) mac() []byte { return k.all[40:] }

// unwrap tries a wrapping key. It returns the file key if id and tag are
// right, and says whether the id is. The caller checks the header MAC.
func (s *stanza) unwrap(wrapping, fixed []byte) (fileKey []byte, idRight bool) {
	keys := deriveStanza(wrapping, s.salt(), s.kind)
	defer clear(keys.all)
	if subtle.ConstantTimeCompare(keys.id(), s.raw[atKeyID:atWrapped]) == 0 {
		return nil, false
	}
	end := len(s.raw) - tagLength
	tag := mac(keys.mac(), fixed, s.raw[:end])
	if subtle.ConstantTimeCompare(tag, s.raw[end:]) == 0 {
		return nil, true
	}
	fileKey = make([]byte, fileKeyLength)
	subtle.XORBytes(fileKey, keys.pad(), s.raw[atWrapped:atBody])
	return fileKey, true
}

// unsealed is a stanza before it is bound to a file: what the recipient gives.
type unsealed struct {
	kind     StanzaType
	salt     []byte
	wrapping []byte
	body     []byte
}

func newUnsealed(kind StanzaType) unsealed {
	salt := make([]byte, 32)
	rand.Read(salt)
	return unsealed{kind: kind, salt: salt}
}

func (u *unsealed) length() int { return atStanzaSalt + stanzaOverhead + len(u.body) }

// seal wraps the file key, for the file whose fixed fields these are.
func (u *unsealed) seal(fileKey, fixed []byte) []byte {
	keys := deriveStanza(u.wrapping, u.salt, u.kind)
	defer clear(keys.all)
	raw := make([]byte, atBody, u.length())
	binary.LittleEndian.PutUint16(raw, uint16(u.kind))
	binary.LittleEndian.PutUint16(raw[atLength:], uint16(u.length()-atStanzaSalt))
	copy(raw[atStanzaSalt:], u.salt)
	copy(raw[atKeyID:], keys.id())
	subtle.XORBytes(raw[atWrapped:], keys.pad(), fileKey)
	raw = append(raw, u.body...)
	return append(raw, mac(keys.mac(), fixed, raw)...)
}

// expand is HKDF-SHA-256.
func expand(key, salt []byte, info string, n int) []byte {
	out, err := hkdf.Key(sha256.New, key, salt, info, n)
	if err != nil {
		panic(err)
	}
	return out
}
