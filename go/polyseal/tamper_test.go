package polyseal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"
)

// TestEveryByteCounts alters each byte of a file, and cuts it everywhere.
func TestEveryByteCounts(t *testing.T) {
	key := GenerateKey()
	plaintext := pattern(4200)
	for _, context := range [][]byte{nil, []byte("c")} {
		file := seal(t, plaintext, &WriteOptions{SegmentSize: 4096, Context: context}, key)
		o := &ReadOptions{Context: context, Goroutines: 1}
		parallel := &ReadOptions{Context: context, Goroutines: 4}
		if got := open(t, file, o, key); !bytes.Equal(got, plaintext) {
			t.Fatal("another plaintext")
		}
		refused := func(b []byte, what string, at int) {
			got, err := readAll(b, false, o, []Identity{key})
			if at%16 == 0 || at == len(file)-1 {
				if again, e := readAll(b, false, parallel, []Identity{key}); e == nil || !bytes.Equal(again, got) {
					t.Errorf("%s %d, in parallel: %d bytes, %v", what, at, len(again), e)
				}
			}
			if err == nil || !bytes.HasPrefix(plaintext, got) || len(got) == len(plaintext) {
				t.Errorf("%s %d: %d bytes, %v", what, at, len(got), err)
			}
			if len(got)%4096 != 0 {
				t.Errorf("%s %d: %d bytes, which is no segment", what, at, len(got))
			}
		}
		for at := range file {
			altered := bytes.Clone(file)
			altered[at] ^= 1 << (at % 8)
			refused(altered, "altered at", at)
			if at < 4096 || at%16 == 0 {
				if got, err := openAll(altered, o, []Identity{key}); err == nil {
					t.Errorf("altered at %d: Open gives %d bytes", at, len(got))
				}
			}
			if at%7 == 0 || at > 4096 {
				refused(file[:at], "cut at", at)
			}
		}
		refused(append(bytes.Clone(file), 0), "extended", len(file))
	}
}

// TestLastSegmentFirst asks a file for its size only, after its end was
// altered, and reads a part before an altered segment.
func TestLastSegmentFirst(t *testing.T) {
	key := GenerateKey()
	file := seal(t, pattern(3*4096), &WriteOptions{SegmentSize: 4096}, key)
	var segment *SegmentError
	if _, err := Open(bytes.NewReader(file), int64(len(file)-4112), nil, key); !errors.As(err, &segment) || segment.Number != 1 {
		t.Errorf("cut at an edge: %v", err)
	}
	file[4096+4112] ^= 1
	f, err := Open(bytes.NewReader(file), int64(len(file)), nil, key)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5000)
	n, err := f.ReadAt(b, 4000)
	if n != 96 || !errors.As(err, &segment) || segment.Number != 1 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if !isZero(b[96:]) {
		t.Error("something of the altered segment is there")
	}
	if n, err := f.ReadAt(b[:4096], 8192); n != 4096 || err != nil || !bytes.Equal(b[:4096], pattern(3 * 4096)[8192:]) {
		t.Errorf("the segment behind: %d bytes, %v", n, err)
	}
}

func TestLengthsOfPayloads(t *testing.T) {
	g := newGeometry(AES256GCM, 4096)
	for _, c := range []struct {
		payload, plaintext int64
	}{
		{0, -1}, {15, -1}, {16, 0}, {17, 1}, {4112, 4096}, {4113, -1}, {4127, -1}, {4128, -1}, {4129, 4097},
		{1 << 52 / 4112 * 4112, 1 << 52 / 4112 * 4096}, {(1<<52/4112 + 1) * 4112, -1}, {math.MaxInt64, -1},
	} {
		last, length, err := g.last(c.payload)
		n := int64(last)*4096 + int64(length-16)
		if err != nil {
			n = -1
		}
		if n != c.plaintext {
			t.Errorf("%d: %d instead of %d", c.payload, n, c.plaintext)
		}
	}
	for suite, limit := range map[Suite]uint64{
		AES256GCM: 1 << 52 / (65536 + 16), CTXAES256GCM: 1 << 52 / (65536 + 16),
		PaddingFixAES256GCM: 1 << 52 / (65536 + 48), XAES256GCM: 1 << 48, "dndk-gcm": 1 << 48, "aegis-256x2": 1 << 48,
	} {
		if g := newGeometry(suite, 65536); g.limit != limit {
			t.Errorf("%s: %d instead of %d", suite, g.limit, limit)
		}
	}
	if g := newGeometry("dndk-gcm", 1<<24); g.limit != 1<<40 {
		t.Errorf("dndk-gcm: %d", g.limit)
	}
}

// TestLimits begins at the end of a suite's limits.
func TestLimits(t *testing.T) {
	key := GenerateKey()
	var file bytes.Buffer
	w, err := NewWriter(&file, &WriteOptions{SegmentSize: 4096}, key)
	if err != nil {
		t.Fatal(err)
	}
	w.next = w.payload.limit - 1
	if _, err := w.Write(pattern(2 * 4096)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != ErrTooLong {
		t.Errorf("Close: %v", err)
	}
	data := seal(t, pattern(2*4096), &WriteOptions{SegmentSize: 4096}, key)
	r, err := NewReader(bytes.NewReader(data), nil, key)
	if err != nil {
		t.Fatal(err)
	}
	r.next = r.payload.limit - 1
	if _, err := r.Read(make([]byte, 1)); err != ErrPayloadLength {
		t.Errorf("Read: %v", err)
	}
}

// TestHeaderThatRejects has a share of X25519 of another length: the header is
// a bad one only if nothing opens the file.
func TestHeaderThatRejects(t *testing.T) {
	key, a := GenerateKey(), x25519(t)
	fileKey := make([]byte, 32)
	raw := make([]byte, 4096)
	copy(raw, magic)
	raw[atVersion] = 1
	binary.LittleEndian.PutUint32(raw[atSegmentSize:], 4096)
	binary.LittleEndian.PutUint64(raw[atOffset:], 4096)
	copy(raw[atSuite:], AES256GCM.field())
	good, err := unsealedFor([]Recipient{key, AgeRecipient(a.Recipient())})
	if err != nil {
		t.Fatal(err)
	}
	good[1].body = []byte("\x00\x00-> X25519 AAAA\nAAAA\n")
	if err := putStanzas(raw, fileKey, nil, good); err != nil {
		t.Fatal(err)
	}
	p, err := newPayload(raw, AES256GCM, fileKey, nil)
	if err != nil {
		t.Fatal(err)
	}
	tag := make([]byte, 16)
	p.seal(new(nonce), tag, 0, 0, true)
	file := append(raw, tag...)
	for name, c := range map[string]struct {
		ids  []Identity
		want string
	}{
		"age alone":        {[]Identity{AgeIdentity(a)}, "bad-header"},
		"another key too":  {[]Identity{AgeIdentity(a), GenerateKey()}, "bad-header"},
		"the key behind":   {[]Identity{AgeIdentity(a), key}, "ok"},
		"the key before":   {[]Identity{key, AgeIdentity(a)}, "ok"},
		"another type":     {[]Identity{AgeIdentity(hybrid(t))}, "no-matching-key"},
		"another key only": {[]Identity{GenerateKey()}, "no-matching-key"},
	} {
		_, err := readAll(file, false, nil, c.ids)
		if got := outcome(err); got != c.want {
			t.Errorf("%s: %s instead of %s", name, got, c.want)
		}
	}
	altered := bytes.Clone(file)
	altered[fixedLength+atWrapped] ^= 1
	if _, err := readAll(altered, false, nil, []Identity{AgeIdentity(a), key}); err != ErrHeaderNotAuthentic {
		t.Errorf("an id that is right comes first: %v", err)
	}
}
