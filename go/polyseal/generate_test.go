package polyseal

// Files for tests, many of which break a rule on purpose: the fields and
// stanzas are as random as a writer could make them, and authentic.

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"

	"filippo.io/age"
)

// generator makes files from a seed.
type generator struct {
	*rand.Rand
	key, other    *Key
	x25519, alien *age.X25519Identity
	hybrid        *age.HybridIdentity
}

var generatorContext = []byte("context")

func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

func (g *generator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

// file returns a file.
func (g *generator) file(context bool) []byte {
	fileKey := g.bytes(32)
	suite := AES256GCM
	if g.one(3) {
		suite = pick(g, benchSuites...)
	}
	if g.one(40) {
		suite = pick(g, "aes-192-gcm", "aes-256-gcm:tag=16", "", "AES-256-GCM", "aes-256-gcm ", Suite(strings.Repeat("a", 64)))
	}
	segment, size := 4096, 4096
	if g.one(5) {
		segment = pick(g, 8192, 65536, 1<<24)
	}
	if g.one(60) {
		segment = pick(g, 1<<25, 2048, 0, 12288)
	}
	if g.one(5) {
		size = pick(g, 8192, 8192, 12288, 65536)
	}
	raw := make([]byte, size)
	copy(raw, magic)
	binary.LittleEndian.PutUint16(raw[atVersion:], version)
	binary.LittleEndian.PutUint32(raw[atSegmentSize:], uint32(segment))
	binary.LittleEndian.PutUint64(raw[atOffset:], uint64(size))
	copy(raw[atFileSalt:], g.bytes(32))
	copy(raw[atSuite:], suite.field())
	bound := context != g.one(10)
	var used []byte
	if bound {
		used = generatorContext
		copy(raw[atContextTag:], contextTag(raw, fileKey, used))
	}
	if g.one(30) {
		g.change(raw[:fixedLength])
	}
	g.stanzas(raw, fileKey)
	copy(raw[size-macLength:], headerMAC(raw, fileKey))
	if suite.Supported() && validSegmentSize(uint64(segment)) {
		raw = append(raw, g.payload(raw, suite, segment, fileKey, used)...)
	}
	if g.one(3) {
		raw = g.mutate(raw)
	}
	return raw
}

// stanzas fills the header with stanzas, up to its MAC.
func (g *generator) stanzas(raw, fileKey []byte) {
	n := 1 + g.IntN(3)
	if g.one(60) {
		n = pick(g, 0, 10, 130)
	}
	var all []byte
	for range n {
		all = append(all, g.stanza(raw, fileKey)...)
	}
	if g.one(60) {
		n = pick(g, n+1, n-1, 129, 256)
	}
	binary.LittleEndian.PutUint16(raw[atStanzaCount:], uint16(n))
	room := raw[fixedLength : len(raw)-macLength]
	used := copy(room, all)
	if g.one(60) && used < len(room) {
		room[pick(g, used, len(room)-1)] = 1
	}
}

func (g *generator) stanza(raw, fileKey []byte) []byte {
	u := unsealed{salt: g.bytes(32)}
	switch g.IntN(8) {
	case 0, 1, 2:
		u.kind, u.wrapping = StanzaKeyFile, g.key.bytes()
		if g.one(3) {
			u.wrapping = g.other.bytes()
		}
		if g.one(50) {
			u.body = g.bytes(pick(g, 1, 12))
		}
	case 3, 4, 5, 6:
		u.kind, u.wrapping = StanzaAge, g.bytes(ageKeyLength)
		u.body = g.ageBody(u.wrapping)
	case 7:
		kind := pick[uint16](g, 0x8000, 0x8001, 0xffff, 0x9000)
		if g.one(20) {
			kind = pick[uint16](g, 0, 4, 0x7fff, 0x80)
		}
		body := g.bytes(pick(g, 0, 1, 103, 104, 200))
		s := binary.LittleEndian.AppendUint16(nil, kind)
		s = binary.LittleEndian.AppendUint16(s, uint16(len(body)))
		return append(s, body...)
	}
	s := u.seal(fileKey, fixedFields(raw))
	if g.one(30) {
		s[g.IntN(len(s))] ^= 1 << g.IntN(8)
	}
	if g.one(60) {
		binary.LittleEndian.PutUint16(s[2:], uint16(g.IntN(2*len(s))))
	}
	return s
}

// ageBody is the labels and recipient stanzas of an age stanza.
func (g *generator) ageBody(key []byte) []byte {
	labels := ""
	if g.one(20) {
		labels = pick(g, "a", "a b", "postquantum", "! ~", "b", "A a", "b a", "a a", " ", "a  b", "a ", "\x7f", "a\tb", "a A", "é")
	}
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(labels)))
	b = append(b, labels...)
	n := 1 + g.IntN(3)
	if g.one(40) {
		n = 0
	}
	for range n {
		b = append(b, g.ageStanza(key)...)
	}
	if g.one(20) {
		b = g.mutateText(b)
	}
	return b
}

func (g *generator) ageStanza(key []byte) []byte {
	var s *age.Stanza
	wrapped := key
	if g.one(10) {
		wrapped = g.bytes(ageKeyLength)
	}
	if g.one(20) {
		wrapped = g.bytes(pick(g, 0, 15, 17, 32))
	}
	wrap := func(r age.Recipient) *age.Stanza {
		all, err := r.Wrap(wrapped)
		if err != nil {
			panic(err)
		}
		return all[0]
	}
	switch g.IntN(10) {
	case 0, 1, 2, 3, 4, 5:
		s = wrap(g.x25519.Recipient())
	case 6:
		s = wrap(g.alien.Recipient())
	case 7:
		s = &age.Stanza{Type: pick(g, "X", "grease", "x25519", "X25519x", "Scrypt"), Body: g.bytes(g.IntN(120))}
		if g.one(2) {
			s.Args = []string{"a", "->", "~!"}
		}
	case 8:
		s = wrap(g.hybrid.Recipient())
	case 9:
		s = &age.Stanza{Type: pick(g, "ssh-ed25519", "ssh-rsa", "piv-p256", "mlkem768x25519", "X25519"),
			Args: []string{"AAAAAA"}, Body: g.bytes(32)}
	}
	if g.one(60) {
		s.Type = "scrypt"
	}
	if g.one(12) {
		switch g.IntN(8) {
		case 0:
			s.Args = append(s.Args, "x")
		case 1:
			s.Args = nil
		case 2:
			s.Args = []string{base64.RawStdEncoding.EncodeToString(g.bytes(pick(g, 0, 31, 32, 33, 1120)))}
		case 3:
			s.Args = []string{base64.RawStdEncoding.EncodeToString(make([]byte, 32))}
		case 4:
			s.Body = g.bytes(pick(g, 0, 31, 32, 33, 48, 64))
		case 5:
			s.Args = []string{pick(g, "é", "a b", "", "=", "AB", "A")}
		case 6:
			if len(s.Args) > 0 {
				s.Args[0] = string(g.mutateText([]byte(s.Args[0])))
			}
		case 7:
			// A low-order point.
			low := make([]byte, 32)
			low[0] = 1
			s.Args = []string{base64.RawStdEncoding.EncodeToString(low)}
		}
	}
	text := "-> " + strings.Join(append([]string{s.Type}, s.Args...), " ") + "\n"
	body := base64.RawStdEncoding.EncodeToString(s.Body)
	for len(body) >= 64 {
		text += body[:64] + "\n"
		body = body[64:]
	}
	text += body + "\n"
	if g.one(30) {
		return g.mutateText([]byte(text))
	}
	return []byte(text)
}

// payload seals segments, sometimes as no writer does.
func (g *generator) payload(raw []byte, suite Suite, segment int, fileKey, context []byte) []byte {
	p, err := newPayload(raw, suite, fileKey, context)
	if err != nil {
		return nil
	}
	lengths := []int{pick(g, 0, 1, 17, 100, 4096)}
	if segment <= 8192 {
		lengths[0] = pick(g, 0, 1, 17, segment-1, segment)
		for range g.IntN(3) {
			lengths = append([]int{segment}, lengths...)
		}
		if last := len(lengths) - 1; last > 0 && lengths[last] == 0 && !g.one(4) {
			lengths[last] = 1
		}
	}
	numbers := make([]uint64, len(lengths))
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	flag := len(lengths) - 1
	if g.one(12) {
		switch g.IntN(5) {
		case 0:
			flag = -1
		case 1:
			flag = 0
		case 2:
			g.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
		case 3:
			lengths[0] = g.IntN(segment)
		case 4:
			numbers[0] += 1 << 40
		}
	}
	var out []byte
	var n nonce
	for i, length := range lengths {
		buf := make([]byte, length+p.tag)
		copy(buf, g.bytes(length))
		p.seal(&n, buf, length, numbers[i], i == flag)
		out = append(out, buf...)
	}
	return out
}

// change sets a byte, or a field, to another value.
func (g *generator) change(b []byte) {
	if len(b) == 0 {
		return
	}
	at := g.IntN(len(b))
	if g.one(2) {
		at = g.IntN(min(len(b), 256))
	}
	switch g.IntN(3) {
	case 0:
		b[at] ^= 1 << g.IntN(8)
	case 1:
		b[at] = pick[byte](g, 0, 1, 0x7f, 0x80, 0xff)
	case 2:
		copy(b[at:], g.bytes(1+g.IntN(8)))
	}
}

// mutate alters a file as somebody without a key can.
func (g *generator) mutate(b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + g.IntN(2) {
		switch g.IntN(9) {
		case 0, 1, 2:
			g.change(b)
		case 3:
			if len(b) > 4096 {
				g.change(b[4096:])
			}
		case 4:
			b = b[:g.IntN(len(b)+1)]
		case 5:
			b = b[:max(0, len(b)-1-g.IntN(40))]
		case 6:
			b = append(b, g.bytes(1+g.IntN(40))...)
		case 7:
			if len(b) >= 4096+2*4112 {
				b = slices.Delete(b, 4096, 4096+4112)
			}
		case 8:
			if len(b) >= 4096+4112 {
				b = append(b, b[4096:4096+4112]...)
			}
		}
	}
	return b
}

// mutateText alters a text, such as armour.
func (g *generator) mutateText(b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + g.IntN(2) {
		at := g.IntN(len(b) + 1)
		if g.one(2) {
			// At the end of a line, or near one of both ends.
			if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
				at += i + g.IntN(2)
			}
		} else if g.one(3) {
			at = pick(g, 0, len(b), max(0, len(b)-1), min(len(b), 29))
		}
		switch g.IntN(5) {
		case 0, 1:
			s := pick(g, "\n", "\r\n", "\r", " ", "\t", "-", "=", "A", "\x00", "\f", "\v", "é", "\xef\xbb\xbf", "\n\n", "-----BEGIN POLYSEAL FILE-----", "-> a\n\n")
			b = slices.Insert(b, at, []byte(s)...)
		case 2:
			b = slices.Delete(b, at, min(len(b), at+1+g.IntN(3)))
		case 3:
			if at < len(b) {
				b[at] = pick[byte](g, '\n', '\r', ' ', '=', 'B', '/', '_', b[at]^1)
			}
		case 4:
			b = b[:at]
		}
	}
	return b
}

// armor writes armour, sometimes as no writer does.
func (g *generator) armor(file []byte) []byte {
	var out bytes.Buffer
	w := NewArmorWriter(&out)
	if _, err := w.Write(file); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		return nil
	}
	b := out.Bytes()
	switch g.IntN(6) {
	case 0:
		b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
	case 1:
		b = bytes.TrimSuffix(b, []byte("\n"))
	case 2:
		b = append([]byte(pick(g, " ", "\t", "\n", "\r\n", " \n\t\r\n ")), b...)
	case 3:
		b = append(b, pick(g, " ", "\t", "\n", "\r\n", " \n\t\r\n ")...)
	}
	if g.one(2) {
		b = g.mutateText(b)
	}
	return b
}

func newGenerator(seed uint64, x25519, alien *age.X25519Identity, hybrid *age.HybridIdentity) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), x25519: x25519, alien: alien, hybrid: hybrid}
	g.key, g.other = &Key{hide(g.bytes(32))}, &Key{hide(g.bytes(32))}
	return g
}
