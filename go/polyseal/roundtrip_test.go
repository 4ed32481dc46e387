package polyseal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"filippo.io/age"
)

// edges are lengths at the edges of segments of s bytes.
func edges(s int) []int {
	return []int{0, 1, s - 1, s, s + 1, 2*s - 1, 2 * s, 2*s + 1, 5*s + 7}
}

func TestRoundTrips(t *testing.T) {
	key := GenerateKey()
	cases := 0
	for _, suite := range benchSuites {
		for _, segment := range []int{4096, 8192} {
			for _, n := range edges(segment) {
				for _, goroutines := range []int{1, 3} {
					plaintext := pattern(n)
					o := &WriteOptions{Suite: suite, SegmentSize: segment, Goroutines: goroutines, Context: pattern(n % 5)}
					file := seal(t, plaintext, o, key)
					want := 4096 + n + suite.TagSize()*max(1, (n+segment-1)/segment)
					if len(file) != want {
						t.Fatalf("%s, %d: a file of %d bytes instead of %d", suite, n, len(file), want)
					}
					r := &ReadOptions{Goroutines: goroutines, Context: o.Context}
					if got := open(t, file, r, key); !bytes.Equal(got, plaintext) {
						t.Fatalf("%s, %d bytes in segments of %d: another plaintext", suite, n, segment)
					}
					got, err := openAll(file, r, []Identity{key})
					if err != nil || !bytes.Equal(got, plaintext) {
						t.Fatalf("%s, %d bytes in segments of %d: %v", suite, n, segment, err)
					}
					cases++
				}
			}
		}
	}
	t.Logf("%d round trips", cases)
}

func TestLargeSegments(t *testing.T) {
	key := GenerateKey()
	for _, segment := range []int{65536, 1 << 20, 1 << 24} {
		for _, n := range []int{segment - 1, segment + 1} {
			plaintext := pattern(n)
			file := seal(t, plaintext, &WriteOptions{SegmentSize: segment}, key)
			if !bytes.Equal(open(t, file, nil, key), plaintext) {
				t.Fatalf("%d bytes in segments of %d", n, segment)
			}
		}
	}
}

// TestSplitWritesAndReads writes in pieces of random lengths, and reads from a
// source that gives little at a time.
func TestSplitWritesAndReads(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	key := GenerateKey()
	for i := range 100 {
		plaintext := pattern(random.IntN(40000))
		var file bytes.Buffer
		w, err := NewWriter(&file, &WriteOptions{SegmentSize: 4096, Goroutines: 1 + i%3}, key)
		if err != nil {
			t.Fatal(err)
		}
		rest := plaintext
		for len(rest) > 0 {
			n := min(len(rest), 1+random.IntN(9000))
			if i%2 == 0 {
				_, err = w.Write(rest[:n])
			} else {
				_, err = w.ReadFrom(iotest.DataErrReader(bytes.NewReader(rest[:n])))
			}
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		sources := []io.Reader{
			bytes.NewReader(file.Bytes()), iotest.HalfReader(bytes.NewReader(file.Bytes())),
			iotest.DataErrReader(bytes.NewReader(file.Bytes())),
		}
		if i < 3 {
			sources = append(sources, iotest.OneByteReader(bytes.NewReader(file.Bytes())))
		}
		for _, src := range sources {
			r, err := NewReader(src, &ReadOptions{Goroutines: 1 + i%3}, key)
			if err != nil {
				t.Fatal(err)
			}
			if err := iotest.TestReader(r, plaintext); err != nil {
				t.Fatal(err)
			}
		}
		r, err := NewReader(bytes.NewReader(file.Bytes()), nil, key)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if n, err := r.WriteTo(&out); err != nil || n != int64(len(plaintext)) || !bytes.Equal(out.Bytes(), plaintext) {
			t.Fatalf("WriteTo: %d, %v", n, err)
		}
	}
}

func TestReadAtGivesSlices(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	key := GenerateKey()
	for _, n := range edges(4096) {
		plaintext := pattern(n)
		file := seal(t, plaintext, &WriteOptions{SegmentSize: 4096}, key)
		f, err := Open(bytes.NewReader(file), int64(len(file)), nil, key)
		if err != nil {
			t.Fatal(err)
		}
		if f.Size() != int64(n) {
			t.Fatalf("a size of %d instead of %d", f.Size(), n)
		}
		var group sync.WaitGroup
		for range 4 {
			seed := random.Uint64()
			group.Go(func() {
				random := rand.New(rand.NewPCG(seed, 5))
				for range 50 {
					from := random.IntN(n + 10)
					b := make([]byte, random.IntN(3*4096))
					got, err := f.ReadAt(b, int64(from))
					want := plaintext[min(from, n):min(from+len(b), n)]
					if !bytes.Equal(b[:got], want) {
						t.Errorf("%d bytes at %d of %d: another plaintext", len(b), from, n)
					}
					if short := got < len(b); short != (err == io.EOF) || !short && err != nil {
						t.Errorf("%d bytes at %d of %d: %v", len(b), from, n, err)
					}
				}
			})
		}
		group.Wait()
		if err := iotest.TestReader(f.Section(0, f.Size()), plaintext); err != nil {
			t.Error(err)
		}
		if err := iotest.TestReader(f.NewReader(), plaintext); err != nil {
			t.Error(err)
		}
		if _, err := f.ReadAt(make([]byte, 1), -1); err == nil {
			t.Error("a negative offset")
		}
	}
}

// testPassphrase stretches little.
func testPassphrase(t testing.TB, text string) *Passphrase {
	p, err := NewPassphrase([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p.cost = argonParameters{memory: 16, passes: 1, lanes: 2}
	return p
}

func x25519(t testing.TB) *age.X25519Identity {
	i, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func hybrid(t testing.TB) *age.HybridIdentity {
	i, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestRecipients(t *testing.T) {
	k1, k2, other := GenerateKey(), GenerateKey(), GenerateKey()
	a1, a2, a3 := x25519(t), x25519(t), x25519(t)
	h := hybrid(t)
	pass := testPassphrase(t, "correct horse")
	for name, c := range map[string]struct {
		to   []Recipient
		good []Identity
		bad  []Identity
	}{
		"key files":  {[]Recipient{k1, k2}, []Identity{k1, k2}, []Identity{other, pass, AgeIdentity(a1)}},
		"passphrase": {[]Recipient{pass}, []Identity{pass}, []Identity{k1, testPassphrase(t, "correct horsf")}},
		"age": {[]Recipient{AgeRecipient(a1.Recipient()), k1, AgeRecipient(a2.Recipient())},
			[]Identity{AgeIdentity(a1), AgeIdentity(a2), k1}, []Identity{AgeIdentity(a3), AgeIdentity(h), k2}},
		"hybrid": {[]Recipient{AgeRecipient(h.Recipient()), k1},
			[]Identity{AgeIdentity(h), k1}, []Identity{AgeIdentity(a1), AgeIdentity(hybrid(t))}},
	} {
		file := seal(t, []byte("contents"), nil, c.to...)
		for _, id := range c.good {
			if got := open(t, file, nil, other, id); string(got) != "contents" {
				t.Errorf("%s: another plaintext", name)
			}
		}
		for _, id := range append(c.bad, nil)[:len(c.bad)] {
			if _, err := readAll(file, false, nil, []Identity{id}); !errors.Is(err, ErrNoMatchingKey) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := readAll(file, false, nil, c.bad); !errors.Is(err, ErrNoMatchingKey) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := readAll(file, false, nil, nil); !errors.Is(err, ErrNoMatchingKey) {
			t.Errorf("%s, no keys: %v", name, err)
		}
	}
}

func TestWriterPassphraseCost(t *testing.T) {
	p, err := NewPassphrase([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := ReadHeader(bytes.NewReader(seal(t, nil, nil, p)))
	if err != nil {
		t.Fatal(err)
	}
	s := h.Stanzas()[0]
	if s.Memory != 65536 || s.Passes != 3 || s.Lanes != 4 {
		t.Errorf("%+v", s)
	}
}

// fakeRecipient gives what it is told to.
type fakeRecipient struct {
	stanzas []*age.Stanza
	labels  []string
}

func (f fakeRecipient) Wrap([]byte) ([]*age.Stanza, error) { return f.stanzas, nil }
func (f fakeRecipient) WrapWithLabels([]byte) ([]*age.Stanza, []string, error) {
	return f.stanzas, f.labels, nil
}

type failingRecipient struct{}

func (failingRecipient) Wrap([]byte) ([]*age.Stanza, error) { return nil, errFailing }

func TestWriterRefuses(t *testing.T) {
	key, a, h := GenerateKey(), x25519(t), hybrid(t)
	scrypt, err := age.NewScryptRecipient("passphrase")
	if err != nil {
		t.Fatal(err)
	}
	scrypt.SetWorkFactor(1)
	good := []*age.Stanza{{Type: "test"}}
	many := make([]Recipient, 129)
	for i := range many {
		many[i] = key
	}
	other := map[string]error{
		"129 recipients":        ErrTooManyRecipients,
		"a full header":         ErrTooManyRecipients,
		"a long label":          ErrTooManyRecipients,
		"129 recipient stanzas": ErrTooManyRecipients,
		"a long body":           ErrTooManyRecipients,
		"a suite not computed":  ErrUnsupportedSuite,
	}
	for name, c := range map[string]struct {
		o  WriteOptions
		to []Recipient
	}{
		"no recipients":             {WriteOptions{}, nil},
		"a nil recipient":           {WriteOptions{}, []Recipient{nil}},
		"129 recipients":            {WriteOptions{}, many},
		"a full header":             {WriteOptions{HeaderSize: 4096}, many[:40]},
		"a passphrase and a key":    {WriteOptions{}, []Recipient{testPassphrase(t, "x"), key}},
		"two passphrases":           {WriteOptions{}, []Recipient{testPassphrase(t, "x"), testPassphrase(t, "y")}},
		"scrypt":                    {WriteOptions{}, []Recipient{AgeRecipient(scrypt)}},
		"labels that differ":        {WriteOptions{}, []Recipient{AgeRecipient(a.Recipient()), AgeRecipient(h.Recipient())}},
		"a bad label":               {WriteOptions{}, []Recipient{AgeRecipient(fakeRecipient{good, []string{"a b"}})}},
		"a long label":              {WriteOptions{}, []Recipient{AgeRecipient(fakeRecipient{good, []string{strings.Repeat("x", 70000)}})}},
		"a bad type":                {WriteOptions{}, []Recipient{AgeRecipient(fakeRecipient{[]*age.Stanza{{Type: "a b"}}, nil})}},
		"a bad argument":            {WriteOptions{}, []Recipient{AgeRecipient(fakeRecipient{[]*age.Stanza{{Type: "a", Args: []string{""}}}, nil})}},
		"no stanza":                 {WriteOptions{}, []Recipient{AgeRecipient(fakeRecipient{})}},
		"129 recipient stanzas":     {WriteOptions{}, []Recipient{AgeRecipient(fakeRecipient{make([]*age.Stanza, 129), nil})}},
		"a long body":               {WriteOptions{}, []Recipient{AgeRecipient(fakeRecipient{[]*age.Stanza{{Type: "a", Body: make([]byte, 50000)}}, nil})}},
		"128 and a key":             {WriteOptions{}, []Recipient{key, AgeRecipient(fakeRecipient{slicesOf(128), nil})}},
		"an unknown suite":          {WriteOptions{Suite: "aes-192-gcm"}, []Recipient{key}},
		"a suite not computed":      {WriteOptions{Suite: "flex-och"}, []Recipient{key}},
		"a small segment":           {WriteOptions{SegmentSize: 2048}, []Recipient{key}},
		"a negative segment":        {WriteOptions{SegmentSize: -4096}, []Recipient{key}},
		"a segment of 12288":        {WriteOptions{SegmentSize: 12288}, []Recipient{key}},
		"a large segment":           {WriteOptions{SegmentSize: 1 << 25}, []Recipient{key}},
		"a header of 5000":          {WriteOptions{HeaderSize: 5000}, []Recipient{key}},
		"a large header":            {WriteOptions{HeaderSize: 69632}, []Recipient{key}},
		"a context of 65536":        {WriteOptions{Context: make([]byte, 65536)}, []Recipient{key}},
		"an age recipient fails":    {WriteOptions{}, []Recipient{AgeRecipient(failingRecipient{})}},
		"a passphrase, then scrypt": {WriteOptions{}, []Recipient{testPassphrase(t, "x"), AgeRecipient(scrypt)}},
	} {
		var out bytes.Buffer
		want := other[name]
		switch {
		case want != nil:
		case len(c.to) == 1 && c.to[0] == key:
			want = ErrInvalidOptions
		default:
			want = ErrInvalidRecipients
		}
		_, err := NewWriter(&out, &c.o, c.to...)
		for _, kind := range []error{ErrInvalidOptions, ErrInvalidRecipients, ErrTooManyRecipients, ErrUnsupportedSuite} {
			if errors.Is(err, kind) != (kind == want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err == want && want != ErrTooManyRecipients {
			t.Errorf("%s: no message of its own", name)
		}
		if out.Len() > 0 {
			t.Errorf("%s: %d bytes were written", name, out.Len())
		}
	}
	_, err = NewWriter(io.Discard, nil, AgeRecipient(failingRecipient{}))
	if !errors.Is(err, errFailing) || err.Error() != "polyseal: age recipient 0: no more room" {
		t.Errorf("the error of an age recipient: %v", err)
	}
	for _, n := range []int{0, 4097} {
		if _, err := NewPassphrase(make([]byte, n)); err == nil {
			t.Errorf("a passphrase of %d bytes", n)
		}
	}
}

func slicesOf(n int) []*age.Stanza {
	all := make([]*age.Stanza, n)
	for i := range all {
		all[i] = &age.Stanza{Type: "test"}
	}
	return all
}

// failing fails after n bytes.
type failing struct{ n int }

var errFailing = errors.New("no more room")

func (f *failing) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, errFailing
	}
	return len(b), nil
}

func TestWriterKeepsErrors(t *testing.T) {
	key := GenerateKey()
	if _, err := NewWriter(&failing{100}, nil, key); err != errFailing {
		t.Errorf("the header: %v", err)
	}
	w, err := NewWriter(&failing{5000}, &WriteOptions{SegmentSize: 4096}, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(pattern(4 << 20)); err != errFailing {
		t.Errorf("Write: %v", err)
	}
	if err := w.Close(); err != errFailing {
		t.Errorf("Close: %v", err)
	}
	w, err = NewWriter(io.Discard, nil, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte{1}); err == nil {
		t.Error("Write after Close")
	}
	if err := w.Close(); err == nil {
		t.Error("Close after Close")
	}
}

// TestWriterKeepsErrorsOfTheSource has plaintexts that fail: what was read of
// them must not become a file.
func TestWriterKeepsErrorsOfTheSource(t *testing.T) {
	key := GenerateKey()
	for _, n := range []int{0, 100, 4096, 8192, 20000} {
		for name, c := range map[string]struct {
			src  io.Reader
			want error
		}{
			"an error":         {iotest.ErrReader(errFailing), errFailing},
			"a truncation":     {iotest.ErrReader(io.ErrUnexpectedEOF), io.ErrUnexpectedEOF},
			"nothing, forever": {stuck{}, io.ErrNoProgress},
		} {
			var file bytes.Buffer
			w, err := NewWriter(&file, &WriteOptions{SegmentSize: 4096}, key)
			if err != nil {
				t.Fatal(err)
			}
			src := io.MultiReader(bytes.NewReader(pattern(n)), c.src)
			if got, err := io.Copy(w, src); got != int64(n) || err != c.want {
				t.Errorf("%s, ReadFrom: %d, %v", name, got, err)
			}
			if _, err := w.Write([]byte{1}); err != c.want {
				t.Errorf("%s, Write: %v", name, err)
			}
			if err := w.Close(); err != c.want {
				t.Errorf("%s, Close: %v", name, err)
			}
			if _, err := readAll(file.Bytes(), false, nil, []Identity{key}); err == nil {
				t.Errorf("%s: a file of %d bytes opens", name, n)
			}
		}
	}
}

// stuck gives neither bytes nor an error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestReaderPassesErrorsOn(t *testing.T) {
	key := GenerateKey()
	file := seal(t, pattern(20000), &WriteOptions{SegmentSize: 4096}, key)
	for _, goroutines := range []int{1, 4} {
		for _, n := range []int{100, 4096, 5000, 4096 + 4112, 4096 + 4113, 16000, len(file)} {
			src := io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(errFailing))
			r, err := NewReader(src, &ReadOptions{Goroutines: goroutines}, key)
			if err == nil {
				var got []byte
				if got, err = io.ReadAll(r); !bytes.HasPrefix(pattern(20000), got) || len(got) == 20000 {
					t.Errorf("%d bytes: another plaintext", n)
				}
			}
			if err != errFailing {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
}

func TestDetachedHeader(t *testing.T) {
	key := GenerateKey()
	plaintext := pattern(10000)
	var head bytes.Buffer
	payload := seal(t, plaintext, &WriteOptions{SegmentSize: 4096, HeaderSize: 8192, Header: &head}, key)
	if head.Len() != 8192 || len(payload) != 10000+3*16 {
		t.Fatalf("%d and %d bytes", head.Len(), len(payload))
	}
	h, err := ParseHeader(head.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := h.PlaintextSize(int64(len(payload))); err != nil || n != 10000 {
		t.Errorf("PlaintextSize: %d, %v", n, err)
	}
	apart := &ReadOptions{Header: h}
	if got := open(t, payload, apart, key); !bytes.Equal(got, plaintext) {
		t.Error("another plaintext")
	}
	if got, err := openAll(payload, apart, []Identity{key}); err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("Open: %v", err)
	}
	whole := append(head.Bytes(), payload...)
	if got := open(t, whole, nil, key); !bytes.Equal(got, plaintext) {
		t.Error("another plaintext of both together")
	}
	if _, err := ParseHeader(whole); err == nil {
		t.Error("a header with something behind it")
	}
	if _, err := ParseHeader(whole[:8191]); err != ErrTruncatedHeader {
		t.Errorf("a cut header: %v", err)
	}
}

func TestRekey(t *testing.T) {
	k1, k2, k3 := GenerateKey(), GenerateKey(), GenerateKey()
	a := x25519(t)
	file := seal(t, pattern(5000), &WriteOptions{SegmentSize: 4096, Context: []byte("c")}, k1)
	read := &ReadOptions{Context: []byte("c")}
	h, err := ReadHeader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	with := func(h *Header) []byte { return append(h.Bytes(), file[h.Size():]...) }
	check := func(h *Header, good, bad []Identity) {
		t.Helper()
		for _, id := range good {
			if got := open(t, with(h), read, id); !bytes.Equal(got, pattern(5000)) {
				t.Error("another plaintext")
			}
		}
		for _, id := range bad {
			if _, err := readAll(with(h), false, read, []Identity{id}); err != ErrNoMatchingKey {
				t.Errorf("%v", err)
			}
		}
	}
	if _, err := Rekey(h, nil, []Identity{k2}, k2); err != ErrNoMatchingKey {
		t.Errorf("another key: %v", err)
	}
	replaced, err := Rekey(h, nil, []Identity{k1}, k2, AgeRecipient(a.Recipient()))
	if err != nil {
		t.Fatal(err)
	}
	check(replaced, []Identity{k2, AgeIdentity(a)}, []Identity{k1})
	kept, err := Rekey(replaced, &RekeyOptions{Keep: true}, []Identity{k2}, k3)
	if err != nil {
		t.Fatal(err)
	}
	check(kept, []Identity{k2, k3, AgeIdentity(a)}, []Identity{k1})
	pass := testPassphrase(t, "p")
	if _, err := Rekey(kept, &RekeyOptions{Keep: true}, []Identity{k2}, pass); !errors.Is(err, ErrInvalidRecipients) {
		t.Error("a passphrase beside others")
	}
	if _, err := Rekey(kept, &RekeyOptions{Keep: true}, []Identity{k2}, AgeRecipient(hybrid(t).Recipient())); !errors.Is(err, ErrInvalidRecipients) {
		t.Error("labels that differ")
	}
	alone, err := Rekey(kept, nil, []Identity{k2}, pass)
	if err != nil {
		t.Fatal(err)
	}
	check(alone, []Identity{pass}, []Identity{k2, k3, AgeIdentity(a)})
	many := make([]Recipient, 50)
	for i := range many {
		many[i] = k1
	}
	if _, err := Rekey(kept, nil, []Identity{k2}, many...); err != ErrTooManyRecipients {
		t.Errorf("no room: %v", err)
	}
}

func TestHeaderSize(t *testing.T) {
	key := GenerateKey()
	for _, c := range []struct{ keys, size int }{{1, 4096}, {17, 4096}, {18, 8192}, {55, 8192}, {56, 12288}, {128, 16384}} {
		to := make([]Recipient, c.keys)
		for i := range to {
			to[i] = key
		}
		h, err := ReadHeader(bytes.NewReader(seal(t, nil, nil, to...)))
		if err != nil || h.Size() != c.size {
			t.Errorf("%d keys: %d instead of %d, %v", c.keys, h.Size(), c.size, err)
		}
	}
	large := AgeRecipient(fakeRecipient{[]*age.Stanza{{Type: "a", Body: make([]byte, 47000)}}, nil})
	h, err := ReadHeader(bytes.NewReader(seal(t, nil, nil, key, large)))
	if err != nil || h.Size() != 65536 {
		t.Errorf("a full header: %v", err)
	}
}

func TestInspect(t *testing.T) {
	k, a, h := GenerateKey(), x25519(t), hybrid(t)
	file := seal(t, nil, &WriteOptions{Suite: XAES256GCM, SegmentSize: 8192, Context: []byte("c")},
		k, AgeRecipient(h.Recipient()))
	got, err := ReadHeader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := "[{1 [] [] 0 0 0} {3 [mlkem768x25519] [postquantum] 0 0 0}]"
	if s := fmt.Sprint(got.Stanzas()); s != want {
		t.Errorf("%s instead of %s", s, want)
	}
	if got.Suite() != XAES256GCM || got.SegmentSize() != 8192 || !got.HasContext() {
		t.Errorf("%s, %d, %t", got.Suite(), got.SegmentSize(), got.HasContext())
	}
	if salt := got.FileSalt(); !bytes.Equal(salt[:], file[32:64]) {
		t.Error("another salt")
	}
	plain, err := ReadHeader(bytes.NewReader(seal(t, nil, nil, AgeRecipient(a.Recipient()))))
	if err != nil || plain.HasContext() || plain.Stanzas()[0].Labels != nil {
		t.Errorf("%v", err)
	}
}

// spellings are how fmt may show the beginning of secret bytes.
func spellings(b []byte) []string {
	b = b[:8]
	decimal := strings.Trim(fmt.Sprintf("%d", b), "[]")
	syntax := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%#v", b), "[]byte{"), "}")
	spaced := fmt.Sprintf("% x", b)
	return []string{string(b), decimal, syntax, spaced, fmt.Sprintf("%x", b), strings.Trim(fmt.Sprintf("%q", b), `"`)}
}

func TestKeysAreNotShown(t *testing.T) {
	k := GenerateKey()
	p, err := NewPassphrase([]byte("secret words"))
	if err != nil {
		t.Fatal(err)
	}
	i := x25519(t)
	secrets := append(spellings(k.bytes()), spellings([]byte("secret words"))...)
	secrets = append(secrets, i.String())
	// Unexported fields are those whose methods fmt does not call.
	type exported struct {
		N int
		K Key
		P Passphrase
		I Identity
	}
	type unexported struct {
		n int
		k Key
		p Passphrase
		i Identity
	}
	type pointers struct {
		k *Key
		P *Passphrase
	}
	in, hidden := exported{1, *k, *p, AgeIdentity(i)}, unexported{1, *k, *p, AgeIdentity(i)}
	for name, value := range map[string]any{
		"a key": *k, "a pointer to a key": k,
		"a passphrase": *p, "a pointer to a passphrase": p,
		"an age identity":    AgeIdentity(i),
		"exported fields":    in,
		"a pointer to those": &in,
		"unexported fields":  hidden,
		"a pointer to these": &hidden,
		"fields of pointers": pointers{k, p},
		"two structs deep":   struct{ a, B any }{hidden, in},
		"a slice of keys":    []Key{*k},
		"identities":         []Identity{k, p, AgeIdentity(i)},
		"a map":              map[string]Passphrase{"p": *p},
	} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			got := fmt.Sprintf(format, value)
			for _, s := range secrets {
				if strings.Contains(strings.ToLower(got), strings.ToLower(s)) {
					t.Errorf("%s, %s: %s", name, format, got)
				}
			}
		}
	}
	for _, value := range []any{*k, k, *p, p} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			if got := fmt.Sprintf(format, value); !strings.HasSuffix(got, "(secret)") {
				t.Errorf("%s: %s", format, got)
			}
		}
	}
	again, err := ParseKey(k.Text())
	if err != nil || !bytes.Equal(again.bytes(), k.bytes()) || len(k.Text()) != 80 {
		t.Errorf("the text of a key: %v", err)
	}
	key, phrase := k.bytes(), p.bytes()
	k.Wipe()
	p.Wipe()
	if !isZero(key) || !isZero(phrase) {
		t.Error("not wiped")
	}
}

// TestZeroKeys has keys that nothing made: no file is sealed for one.
func TestZeroKeys(t *testing.T) {
	wipedKey, wipedPassphrase := GenerateKey(), testPassphrase(t, "x")
	copied := *wipedKey
	wipedKey.Wipe()
	wipedPassphrase.Wipe()
	for name, none := range map[string]interface {
		Recipient
		Identity
	}{
		"a zero key": new(Key), "no key": (*Key)(nil),
		"a zero passphrase": new(Passphrase), "no passphrase": (*Passphrase)(nil),
		"a wiped key": wipedKey, "a copy of a wiped key": &copied, "a wiped passphrase": wipedPassphrase,
	} {
		if _, err := NewWriter(io.Discard, nil, none); !errors.Is(err, ErrInvalidRecipients) {
			t.Errorf("%s seals: %v", name, err)
		}
		for _, to := range []Recipient{GenerateKey(), testPassphrase(t, "x")} {
			if _, err := readAll(seal(t, nil, nil, to), false, nil, []Identity{none}); err != ErrNoMatchingKey {
				t.Errorf("%s opens: %v", name, err)
			}
		}
	}
	new(Key).Wipe()
	new(Passphrase).Wipe()
}

// TestNoAllocationPerSegment writes and reads 64 and 128 segments.
func TestNoAllocationPerSegment(t *testing.T) {
	key := GenerateKey()
	write := func(segments int) float64 {
		return testing.AllocsPerRun(5, func() {
			w, err := NewWriter(io.Discard, &WriteOptions{SegmentSize: 4096, Goroutines: 1}, key)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.ReadFrom(&repeated{int64(segments) * 4096}); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := write(64), write(1024); many-few > 64 {
		t.Errorf("%v allocations for 64 segments written, %v for 1024", few, many)
	}
	read := func(segments int) float64 {
		file := seal(t, make([]byte, segments*4096), &WriteOptions{SegmentSize: 4096}, key)
		return testing.AllocsPerRun(5, func() {
			r, err := NewReader(bytes.NewReader(file), &ReadOptions{Goroutines: 1}, key)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.WriteTo(io.Discard); err != nil {
				t.Fatal(err)
			}
		})
	}
	// One goroutine's reader fills its buffer where the source has it.
	if few, many := read(64), read(1024); many-few > 64 {
		t.Errorf("%v allocations for 64 segments read, %v for 1024", few, many)
	}
}
