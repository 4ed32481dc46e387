package polyseal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"testing"

	"filippo.io/age"
)

var fuzzKey = &Key{hide(append([]byte{1, 2, 3}, make([]byte, 29)...))}

// fuzzIdentity is a fixed identity, so that what a run finds stays found.
func fuzzIdentity(t testing.TB) *age.X25519Identity {
	i, err := age.ParseX25519Identity("AGE-SECRET-KEY-19X0XRZWS8QFQ0EEHZG3GVC7NWXXHGDEX3C5M52KFL0WRCJT4EA5QA4KASF")
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// FuzzHeader parses bytes that may be a header: the fuzzer's bytes, then zeros,
// and the MAC of one file key. A header that is taken keeps its bytes, says
// nothing out of bounds, and is opened with that file key or not at all.
func FuzzHeader(f *testing.F) {
	i := fuzzIdentity(f)
	fileKey := make([]byte, fileKeyLength)
	for _, to := range [][]Recipient{{fuzzKey}, {fuzzKey, AgeRecipient(i.Recipient())}, {testPassphrase(f, "x")}} {
		raw, _, err := newHeader(new(WriteOptions), fileKey, to)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.TrimRight(raw[:len(raw)-macLength], "\x00"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		size := headerStep
		if len(data) >= atReserved {
			if p := binary.LittleEndian.Uint64(data[atOffset:]); validHeaderSize(p) {
				size = int(p)
			}
		}
		raw := make([]byte, max(size, len(data)))
		copy(raw, data)
		copy(raw[size-macLength:], headerMAC(append(make([]byte, 0, size), raw[:size]...), fileKey))
		data = raw
		h, err := ReadHeader(bytes.NewReader(data))
		if err != nil {
			if h != nil || outcome(err) == "ok" {
				t.Fatal("a header with an error")
			}
			return
		}
		if !bytes.Equal(h.Bytes(), data[:h.Size()]) {
			t.Error("other bytes")
		}
		again, err := ParseHeader(h.Bytes())
		if err != nil || len(again.Stanzas()) != len(h.Stanzas()) {
			t.Errorf("parsed again: %v", err)
		}
		if n := len(h.Stanzas()); n < 1 || n > 128 || !h.Suite().Known() || !validSegmentSize(uint64(h.SegmentSize())) {
			t.Error("out of bounds")
		}
		for _, s := range h.stanzas {
			if s.kind != StanzaAge {
				continue
			}
			if text, err := s.age.bytes(); err != nil || !bytes.Equal(text, s.body()) {
				t.Errorf("an age stanza has another spelling: %v", err)
			}
		}
		key, err := h.unwrap([]Identity{fuzzKey, AgeIdentity(i)})
		if (err == nil) != (key != nil) || key != nil && !bytes.Equal(key, fileKey) {
			t.Errorf("another file key: %v", err)
		}
	})
}

// FuzzPayload alters a payload, by steps that the fuzzer's bytes are: three for
// each. The output is the beginning of the sealed plaintext, in order and by
// parts.
func FuzzPayload(f *testing.F) {
	plaintext := pattern(9000)
	file := seal(f, plaintext, &WriteOptions{SegmentSize: 4096}, fuzzKey)
	head, payload := file[:4096], file[4096:]
	h, err := ParseHeader(head)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add([]byte{0, 1, 0, 0, 1, 0})
	f.Add([]byte{1, 0x10, 0x10})
	f.Add([]byte{2, 0, 0, 3, 0, 0, 4, 0, 0})
	f.Fuzz(func(t *testing.T, steps []byte) {
		data := bytes.Clone(payload)
		for ; len(steps) >= 3 && len(data) < 1<<16; steps = steps[3:] {
			at := int(binary.LittleEndian.Uint16(steps[1:])) % (len(data) + 1)
			from := at / 4112 * 4112
			to := min(from+4112, len(data))
			switch steps[0] % 6 {
			case 0:
				if at < len(data) {
					data[at] ^= 1 << (steps[0] / 6 % 8)
				}
			case 1:
				data = data[:at]
			case 2:
				data = append(data, data[from:to]...)
			case 3:
				data = slices.Delete(data, from, to)
			case 4:
				data = append(data, make([]byte, at%64)...)
			case 5:
				data = slices.Insert(data, at, data[from:to]...)
			}
		}
		o := &ReadOptions{Header: h, Goroutines: 1 + len(data)%3}
		r, err := NewReader(bytes.NewReader(data), o, fuzzKey)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if !bytes.HasPrefix(plaintext, got) || (err == nil) != bytes.Equal(data, payload) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		parts, partly := openAll(data, o, []Identity{fuzzKey})
		if !bytes.HasPrefix(plaintext, parts) || (partly == nil) != (err == nil) {
			t.Errorf("by parts %d bytes, %v", len(parts), partly)
		}
	})
}

// FuzzArmour decodes bytes that may be armour. Armour that is taken has one
// spelling, but for white space around it and the ends of lines.
func FuzzArmour(f *testing.F) {
	for _, n := range []int{1, 2, 3, 47, 48, 49, 100} {
		var text bytes.Buffer
		w := NewArmorWriter(&text)
		if _, err := w.Write(pattern(n)); err != nil {
			f.Fatal(err)
		}
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
		f.Add(bytes.ReplaceAll(text.Bytes(), []byte("\n"), []byte("\r\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		decoded, err := io.ReadAll(NewArmorReader(bytes.NewReader(data)))
		var armor *ArmorError
		if err != nil {
			if !errors.As(err, &armor) {
				t.Fatal(err)
			}
			return
		}
		if !IsArmor(data[0]) {
			t.Error("not taken for armour")
		}
		var text bytes.Buffer
		w := NewArmorWriter(&text)
		if _, err := w.Write(decoded); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		plain := bytes.Trim(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), " \t\n")
		if !bytes.Equal(plain, bytes.TrimSpace(text.Bytes())) {
			t.Error("another spelling")
		}
	})
}

// FuzzKeyFile parses what may be a key file, and finds the key in it.
func FuzzKeyFile(f *testing.F) {
	f.Add(fuzzKey.Text())
	f.Add(fuzzKey.bytes())
	f.Add([]byte("\xef\xbb\xbf# comment\r\n\t" + string(fuzzKey.Text())))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := ParseKey(data)
		if (k == nil) != (err != nil) {
			t.Fatal("a key with an error")
		}
		if err != nil {
			return
		}
		if len(data) == 32 {
			if !bytes.Equal(k.bytes(), data) || isText(data) {
				t.Error("another key")
			}
			return
		}
		digits := hex.EncodeToString(k.bytes())
		if len(data) > keyFileMaximum || bytes.Count(bytes.ToLower(data), []byte(keyPrefix+digits)) == 0 {
			t.Error("a key that is not in the file")
		}
	})
}
