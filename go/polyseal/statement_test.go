package polyseal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var signedAt = time.Unix(1_796_000_000, 0)

// statementOutcome is a word of vectors/statement.
func statementOutcome(err error) string {
	for word, known := range map[string]error{
		"ok": nil, "version": ErrStatementVersion, "text": ErrStatementText, "signature": ErrStatementSignature,
		"not accepted": ErrNotAccepted, "hashes": ErrStatementHashes, "other file": ErrOtherFile,
	} {
		if errors.Is(err, known) {
			return word
		}
	}
	if errors.As(err, new(*NotAsSignedError)) {
		return "segment"
	}
	return err.Error()
}

// stated opens a file by its statement, in all ways. It returns what was given
// out by each before an error.
func (k *statementKit) stated(file, statement, context []byte) (given [][]byte, err error) {
	st, err := k.statement(statement, "")
	if err != nil {
		return nil, err
	}
	o := &ReadOptions{Context: context, Statement: st, Goroutines: 2}
	streamed, err := readAll(file, false, o, []Identity{k.key})
	given = append(given, streamed)
	f, failure := Open(bytes.NewReader(file), int64(len(file)), o, k.key)
	if failure == nil {
		var parts []byte
		part := make([]byte, 3000)
		for failure == nil {
			var n int
			n, failure = f.ReadAt(part, int64(len(parts)))
			parts = append(parts, part[:n]...)
		}
		given = append(given, parts)
		if failure == io.EOF {
			failure = nil
		}
	}
	if (err == nil) != (failure == nil) {
		return given, fmt.Errorf("streamed: %w, but in parts: %w", err, failure)
	}
	return given, failure
}

// statementKit reads vectors/statement.
type statementKit struct {
	t       testing.TB
	folder  string
	signers *Signers
	key     *Key
	index   struct {
		Key   string
		Tests []struct{ Statement, File, Outcome, Context string }
	}
}

func newStatementKit(t testing.TB) *statementKit {
	k := &statementKit{t: t, folder: vectors(t, "statement")}
	readJSON(t, filepath.Join(k.folder, "index.json"), &k.index)
	var err error
	if k.signers, err = ParseSigners(k.read("allowed_signers")); err != nil {
		t.Fatal(err)
	}
	if k.key, err = ParseKey(unhex(k.index.Key)); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *statementKit) read(name string) []byte {
	data, err := os.ReadFile(filepath.Join(k.folder, name))
	if err != nil {
		k.t.Fatal(err)
	}
	return data
}

func (k *statementKit) statement(data []byte, by string) (*Statement, error) {
	return k.signers.ReadStatement(bytes.NewReader(data), int64(len(data)), by, signedAt)
}

func TestStatementKit(t *testing.T) {
	k := newStatementKit(t)
	for _, c := range k.index.Tests {
		file, statement := k.read(c.File), k.read(c.Statement)
		given, err := k.stated(file, statement, []byte(c.Context))
		if got := statementOutcome(err); got != c.Outcome {
			t.Errorf("%s: %s instead of %s", c.Statement, got, c.Outcome)
		}
		for _, plaintext := range given {
			if c.Outcome == "ok" && !bytes.Equal(plaintext, open(t, file, &ReadOptions{Context: []byte(c.Context)}, k.key)) {
				t.Errorf("%s: another plaintext", c.Statement)
			}
		}
		st, err := k.statement(statement, "alice@example.org")
		if err == nil {
			err = st.VerifyStored(bytes.NewReader(file), int64(len(file)))
		}
		want := c.Outcome
		if c.Statement == "other-holder.sig" {
			want = "ok" // only a key shows it
		}
		if got := statementOutcome(err); got != want {
			t.Errorf("%s without a key: %s instead of %s", c.Statement, got, want)
		}
	}
	if len(k.index.Tests) < 25 {
		t.Error("the kit has fewer tests")
	}
}

// TestFileOfTwoTexts has a stored segment that opens as the last one and as
// another, to two texts.
func TestFileOfTwoTexts(t *testing.T) {
	k := newStatementKit(t)
	k.folder = vectors(t, "attacks")
	file, statement := k.read("two-ends.polyseal"), k.read("two-ends.sig")
	var err error
	if k.signers, err = ParseSigners(k.read("two-ends.signers")); err != nil {
		t.Fatal(err)
	}
	if k.key, err = ParseKey(unhex("2dccbc71eb8d0be0d9fbcdcbb16b0d45fab777a668a5c8d2ee286bc542392176")); err != nil {
		t.Fatal(err)
	}
	if _, err := k.stated(file, statement, nil); err != nil {
		t.Error(err)
	}
	cut := file[:4096+4112]
	if text := open(t, cut, nil, k.key); bytes.HasPrefix(open(t, file, nil, k.key), text) {
		t.Error("one text")
	}
	given, err := k.stated(cut, statement, nil)
	if statementOutcome(err) != "segment" || len(bytes.Join(given, nil)) > 0 {
		t.Errorf("%d bytes, %v", len(bytes.Join(given, nil)), err)
	}
}

// TestOnlyTheLastIsLast opens the last segment as another, and another as the
// last, and has a statement of another length.
func TestOnlyTheLastIsLast(t *testing.T) {
	k := newStatementKit(t)
	payload := k.read("groups.polyseal")[4096:]
	last := (len(payload) - 1) / 4112
	for _, c := range []struct {
		number int
		last   bool
		more   uint64
		want   string
	}{
		{last, true, 0, "ok"}, {last, false, 0, "segment"}, {last, true, 1, "segment"},
		{0, false, 0, "ok"}, {0, true, 0, "segment"}, {last - 1, true, 0, "segment"}, {last + 1, true, 0, "segment"},
	} {
		st, err := k.statement(k.read("groups.sig"), "")
		if err != nil {
			t.Fatal(err)
		}
		st.payloadBytes += c.more
		sealed := payload[min(c.number*4112, len(payload)):min((c.number+1)*4112, len(payload))]
		if got := statementOutcome(st.expect(uint64(c.number), sealed, c.last)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestWhatIsSignedIsGiven alters the file, its hashes, its text and its
// signature, and puts in segments of somebody who has the key: nothing is given
// out but what was signed.
func TestWhatIsSignedIsGiven(t *testing.T) {
	k := newStatementKit(t)
	file := k.read("groups.polyseal")
	plaintext := open(t, file, nil, k.key)
	header, err := ParseHeader(file[:4096])
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := header.payload([]Identity{k.key}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for turn := range 600 {
		name := []string{"groups.sig", "groups-header.sig"}[turn%2]
		altered, statement := bytes.Clone(file), k.read(name)
		signed := bytes.LastIndex(statement, []byte(sshsigEnd)) + len(sshsigEnd)
		unchanged := len(plaintext)
		flip := func(b []byte) int {
			at := random.IntN(len(b))
			b[at] ^= 1 << random.IntN(8)
			return at
		}
		switch turn / 2 % 6 {
		case 0:
			flip(altered[:4096])
			unchanged = 0
		case 1:
			unchanged = flip(altered[4096:]) / p.stored() * p.segment
		case 2:
			flip(statement[:signed])
			unchanged = 0
		case 3: // of a group; those before it stand
			group := flip(statement[signed:]) / (hashLength * (hashGroup + 2))
			unchanged = group * hashGroup * p.segment
		case 4: // authentic, and not signed
			i := random.IntN(67)
			unchanged = i * p.segment
			copy(altered[4096+i*p.stored():], pattern(p.segment))
			p.seal(new(nonce), altered[4096+i*p.stored():][:p.stored()], p.segment, uint64(i), false)
		case 5:
			i := 1 + random.IntN(66)
			altered = altered[:4096+i*p.stored()]
			copy(altered[len(altered)-p.stored():], pattern(p.segment))
			p.seal(new(nonce), altered[len(altered)-p.stored():], p.segment, uint64(i-1), true)
			unchanged = (i - 1) * p.segment
		}
		given, err := k.stated(altered, statement, nil)
		for _, part := range given {
			if !bytes.HasPrefix(plaintext, part) || len(part) > unchanged && err != nil {
				t.Errorf("turn %d: %d bytes before %v", turn, len(part), err)
			}
		}
		if err != nil {
			refused++
		} else if bytes.Equal(altered, file) && !bytes.Equal(given[0], plaintext) {
			t.Errorf("turn %d: another text", turn)
		}
		if st, e := k.statement(statement, ""); e == nil && turn/2%6 != 0 && turn/2%6 != 2 {
			if e = st.VerifyStored(bytes.NewReader(altered), int64(len(altered))); e == nil {
				t.Errorf("turn %d: verified without a key", turn)
			}
		}
	}
	// In base64 one bit of many is another spelling.
	if refused < 595 {
		t.Errorf("%d are refused", refused)
	}
}

func TestNoByteOfAHashIsSpare(t *testing.T) {
	k := newStatementKit(t)
	file, statement := k.read("groups.polyseal"), k.read("groups.sig")
	for _, altered := range [][]byte{statement[:len(statement)-1], append(bytes.Clone(statement), 0)} {
		if _, err := k.statement(altered, ""); err != ErrStatementHashes {
			t.Error(err)
		}
	}
	signed := bytes.LastIndex(statement, []byte(sshsigEnd)) + len(sshsigEnd)
	for at := signed; at < len(statement); at += hashLength {
		altered := bytes.Clone(statement)
		altered[at] ^= 1
		st, err := k.statement(altered, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := st.VerifyStored(bytes.NewReader(file), int64(len(file))); err != ErrStatementHashes {
			t.Errorf("hash %d: %v", (at-signed)/hashLength, err)
		}
	}
}

// TestSSHSignatures has signatures of ssh-keygen, of every kind of key.
func TestSSHSignatures(t *testing.T) {
	var index struct {
		Text  string
		Tests []struct{ Comment, Key, Signature, Outcome string }
	}
	readJSON(t, filepath.Join(vectors(t, "sshsig"), "index.json"), &index)
	for _, c := range index.Tests {
		_, signatures, end, err := splitStatement([]byte(c.Signature))
		if err != nil || len(signatures) != 1 || end != len(c.Signature) {
			t.Fatal(c.Comment, err)
		}
		blob, ok := parsePublicKey(c.Key)
		if !ok {
			t.Fatal(c.Comment, "the key")
		}
		outcome := "signature"
		if s, ok := parseSSHSignature(signatures[0]); ok {
			outcome = "not accepted"
			if bytes.Equal(s.key, blob) && s.verifies([]byte(index.Text)) {
				outcome = "ok"
			}
			if s.verifies([]byte(index.Text + "x")) {
				t.Error(c.Comment, "verifies another text")
			}
		}
		if outcome != c.Outcome {
			t.Errorf("%s, %.30s: %s instead of %s", c.Comment, c.Key, outcome, c.Outcome)
		}
	}
	if len(index.Tests) < 25 {
		t.Error("fewer signatures")
	}
}

const signerKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti"

func TestSigners(t *testing.T) {
	blob, _ := parsePublicKey(signerKey)
	accepted := func(line, by string, at int64) bool {
		t.Helper()
		s, err := ParseSigners([]byte(strings.ReplaceAll(line, "KEY", signerKey)))
		if err != nil {
			t.Fatal(line, err)
		}
		_, ok := s.accepted(blob, by, time.Unix(at, 0))
		return ok
	}
	for _, c := range []struct {
		line, by string
		at       int64
		want     bool
	}{
		{"a KEY", "", 0, true},
		{"\n# no\n\t a@b,c \t KEY comment text\r\n", "", 0, true},
		{"a namespaces=\"file,poly*\" KEY", "", 0, true},
		{"a namespaces=\"file\" KEY", "", 0, false},
		{"a namespaces=\"*,!polyseal\" KEY", "", 0, false},
		{"a NAMESPACES=\"polyseal\" KEY", "", 0, true},
		{"a cert-authority KEY", "", 0, false},
		{"*@example.org KEY", "alice@example.org", 0, true},
		{"*@example.org,!eve@* KEY", "eve@example.org", 0, false},
		{"a?,b KEY", "ab", 0, true},
		{"a?,b KEY", "a", 0, false},
		{"\"a b\" KEY", "a b", 0, true},
		{"*a*b*c KEY", "xaxbxbc", 0, true},
		{"*a*b*c KEY", "xaxbxbcd", 0, false},
		{"** KEY", "anybody", 0, true},
		{"a valid-after=\"20260101Z\",valid-before=\"202602011230Z\" KEY", "", 1_767_225_599, false},
		{"a valid-after=\"20260101Z\",valid-before=\"202602011230Z\" KEY", "", 1_767_225_600, true},
		{"a valid-after=\"20260101Z\",valid-before=\"202602011230Z\" KEY", "", 1_769_948_999, true},
		{"a valid-after=\"20260101Z\",valid-before=\"202602011230Z\" KEY", "", 1_769_949_000, false},
		{"a valid-before=\"20241231235960Z\" KEY", "", 1_735_689_599, true},
		{"b KEY\na KEY", "a", 0, true},
		{"a ssh-new@example.org AAAAE3NzaC1uZXdAZXhhbXBsZS5vcmc=\na KEY", "", 0, true},
	} {
		if accepted(c.line, c.by, c.at) != c.want {
			t.Errorf("%q for %q at %d", c.line, c.by, c.at)
		}
	}
	for _, line := range []string{
		"a", "KEY", "a option KEY", "a namespaces=\"x KEY", "a namespaces=x KEY", "a namespaces=\"x\",namespaces=\"y\" KEY",
		"a valid-after=20260101 KEY", "a valid-after=\"20260101\" KEY", "a valid-after=\"20261301Z\" KEY",
		"a valid-before=\"20260230Z\" KEY", "a valid-before=\"20260228246000Z\" KEY", "a valid-before=\"+2026022Z\" KEY",
		"a valid-before=\"19691231Z\" KEY", "a ssh-ed25519 AAAA", "\"a KEY", "a\"b\" KEY",
		"a ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAAA==",
	} {
		_, err := ParseSigners([]byte("a " + signerKey + "\n" + strings.ReplaceAll(line, "KEY", signerKey)))
		if e := new(SignersError); !errors.As(err, &e) || e.Line != 2 {
			t.Errorf("%q: %v", line, err)
		}
	}
	k := newStatementKit(t)
	statement := k.read("short.sig")
	st, err := k.statement(statement, "")
	if err != nil || st.Signer.Principal != "alice@example.org" || st.Time.Unix() != 1_796_000_000 ||
		!strings.HasPrefix(st.Signer.Fingerprint, "SHA256:") {
		t.Errorf("%+v, %v", st, err)
	}
	if _, err := k.statement(statement, "bob@example.org"); err != ErrNotAccepted {
		t.Error(err)
	}
	// One that cannot be read, before or behind one that is accepted.
	at := bytes.Index(statement, []byte(sshsigBegin))
	end := bytes.Index(statement, []byte(sshsigEnd)) + len(sshsigEnd)
	for _, at := range []int{at, end} {
		bad := slices.Insert(bytes.Clone(statement), at, []byte(sshsigBegin+"AAAA\n"+sshsigEnd)...)
		if _, err := k.statement(bad, ""); err != ErrStatementSignature {
			t.Error(err)
		}
	}
	long := slices.Insert(bytes.Clone(statement), end, bytes.Repeat(statement[at:end], statementMaximum/(end-at))...)
	if _, err := k.statement(long, ""); err != ErrStatementSignature {
		t.Errorf("longer than a statement may be: %v", err)
	}
}

// FuzzStatement reads bytes that may be a statement. One that is taken has a
// text in one spelling.
func FuzzStatement(f *testing.F) {
	k := newStatementKit(f)
	for _, c := range k.index.Tests {
		f.Add(k.read(c.Statement))
	}
	file := k.read("short.polyseal")
	f.Fuzz(func(t *testing.T, data []byte) {
		text, signatures, end, err := splitStatement(data)
		if err != nil {
			return
		}
		for _, body := range signatures {
			if s, ok := parseSSHSignature(body); ok {
				s.verifies(text)
			}
		}
		st, err := parseStatement(text)
		if err != nil {
			if st != nil || statementOutcome(err) != "text" && statementOutcome(err) != "version" {
				t.Error(err)
			}
			return
		}
		again := fmt.Sprintf("polyseal-statement 1\nfile-salt %x\nsuite %s\nsegment-bytes %d\npayload-bytes %d\n"+
			"payload-root %x\ncontext-tag %x\n%s %x\ntime ", st.FileSalt, st.suite, st.segmentSize, st.payloadBytes,
			st.payloadRoot, st.contextTag, map[bool]string{false: "holder", true: "header"}[st.boundToHeader], st.bound)
		if !strings.HasPrefix(string(text), again) {
			t.Errorf("%q", text)
		}
		// Whoever has signed it.
		st.hashes = bytes.NewReader(data[end:])
		if uint64(len(data)-end) == st.hashesLength() && st.VerifyStored(bytes.NewReader(file), int64(len(file))) == nil &&
			uint64(len(file)-4096) != st.payloadBytes {
			t.Error("another length")
		}
	})
}

// FuzzSigners reads bytes that may be a list of signers.
func FuzzSigners(f *testing.F) {
	f.Add([]byte("a,!b namespaces=\"x*\",valid-after=\"20260101Z\" " + signerKey + " comment\n# no\n"))
	blob, _ := parsePublicKey(signerKey)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSigners(data)
		if err != nil {
			if e := new(SignersError); !errors.As(err, &e) || e.Line < 1 || e.Line > bytes.Count(data, []byte("\n"))+1 {
				t.Error(err)
			}
			return
		}
		s.accepted(blob, "a", signedAt)
	})
}
