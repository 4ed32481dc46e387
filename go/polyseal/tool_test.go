//go:build tool

package polyseal

// The tool polyseal as a peer, which POLYSEAL_TOOL names. Both take a file and
// give the same plaintext, or both refuse it.

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func tool(t *testing.T) string {
	path := os.Getenv("POLYSEAL_TOOL")
	if path == "" {
		t.Fatal("POLYSEAL_TOOL does not name the tool")
	}
	return path
}

// run runs the tool, which must succeed.
func run(t *testing.T, stdin []byte, arguments ...string) []byte {
	t.Helper()
	command := exec.Command(tool(t), arguments...)
	command.Stdin = bytes.NewReader(stdin)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		t.Fatalf("polyseal %q: %v: %s", arguments, err, &complaint)
	}
	return out
}

func write(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func number(t *testing.T, name string, otherwise uint64) uint64 {
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func TestToolRoundTrips(t *testing.T) {
	dir := t.TempDir()
	key, a, h, p := GenerateKey(), x25519(t), hybrid(t), testPassphrase(t, "correct horse battery staple")
	keyFile := write(t, filepath.Join(dir, "key"), key.Text())
	identity := write(t, filepath.Join(dir, "identity"), []byte(a.String()+"\n"+h.String()+"\n"))
	passphrase := write(t, filepath.Join(dir, "passphrase"), []byte("correct horse battery staple\n"))
	ways := map[string]struct {
		to       Recipient
		id       Identity
		encrypt  []string
		decrypt  []string
		fromFile string
	}{
		"key file":   {key, key, []string{"-k", keyFile}, []string{"-k", keyFile}, ""},
		"X25519":     {AgeRecipient(a.Recipient()), AgeIdentity(a), []string{"-r", a.Recipient().String()}, []string{"-i", identity}, ""},
		"hybrid":     {AgeRecipient(h.Recipient()), AgeIdentity(h), []string{"-r", h.Recipient().String()}, []string{"-i", identity}, ""},
		"passphrase": {p, p, []string{"--passphrase-fd", "3"}, []string{"--passphrase-fd", "3"}, passphrase},
	}
	cases := 0
	for name, way := range ways {
		lengths := []int{0, 1, 4095, 4096, 4097, 20000}
		if way.fromFile != "" {
			lengths = []int{4097}
		}
		for _, n := range lengths {
			plaintext := pattern(n)
			plain := write(t, filepath.Join(dir, "plain"), plaintext)
			sealed := filepath.Join(dir, "sealed")
			shell := func(arguments ...string) []byte {
				command := exec.Command(tool(t), arguments...)
				if way.fromFile != "" {
					file, err := os.Open(way.fromFile)
					if err != nil {
						t.Fatal(err)
					}
					defer file.Close()
					command.ExtraFiles = []*os.File{file}
				}
				var complaint bytes.Buffer
				command.Stderr = &complaint
				out, err := command.Output()
				if err != nil {
					t.Fatalf("%s: polyseal %q: %v: %s", name, arguments, err, &complaint)
				}
				return out
			}
			for _, suite := range benchSuites {
				shell(append([]string{"encrypt", "-f", "-s", string(suite), "--segment-size", "4KiB", "--context", "c",
					"-o", sealed, plain}, way.encrypt...)...)
				file, err := os.ReadFile(sealed)
				if err != nil {
					t.Fatal(err)
				}
				o := &ReadOptions{Context: []byte("c")}
				if got := open(t, file, o, way.id); !bytes.Equal(got, plaintext) {
					t.Errorf("%s, %s, %d bytes of the tool: another plaintext", name, suite, n)
				}
				ours := seal(t, plaintext, &WriteOptions{Suite: suite, SegmentSize: 4096, Context: o.Context}, way.to)
				write(t, sealed, ours)
				if got := shell(append([]string{"decrypt", "--context", "c", sealed}, way.decrypt...)...); !bytes.Equal(got, plaintext) {
					t.Errorf("%s, %s, %d bytes for the tool: another plaintext", name, suite, n)
				}
				cases += 2
				if n != 4097 || way.fromFile != "" {
					break // every suite once for each way is enough
				}
			}
		}
	}
	t.Logf("%d round trips with the tool", cases)
}

// TestToolSigns reads statements of the tool.
func TestToolSigns(t *testing.T) {
	dir := t.TempDir()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	blob, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	signers, err := ParseSigners(append([]byte("alice namespaces=\"polyseal\" "), ssh.MarshalAuthorizedKey(blob)...))
	if err != nil {
		t.Fatal(err)
	}
	key := GenerateKey()
	keyFile := write(t, filepath.Join(dir, "key"), key.Text())
	signingKey := write(t, filepath.Join(dir, "alice"), pem.EncodeToMemory(block))
	sealed := filepath.Join(dir, "sealed")
	for _, n := range []int{0, 1, 4096, 4097, 32 * 4096, 33 * 4096, 500_000} {
		plain := write(t, filepath.Join(dir, "plain"), pattern(n))
		run(t, nil, "encrypt", "-f", "--segment-size", "4KiB", "-k", keyFile, "--sign", signingKey, "-o", sealed, plain)
		file, err := os.ReadFile(sealed)
		if err != nil {
			t.Fatal(err)
		}
		statement, err := os.ReadFile(sealed + ".sig")
		if err != nil {
			t.Fatal(err)
		}
		st, err := signers.ReadStatement(bytes.NewReader(statement), int64(len(statement)), "alice", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got := open(t, file, &ReadOptions{Statement: st}, key); !bytes.Equal(got, pattern(n)) {
			t.Errorf("%d bytes: another plaintext", n)
		}
		if err := st.VerifyStored(bytes.NewReader(file), int64(len(file))); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		if st.Signer.Fingerprint != ssh.FingerprintSHA256(blob) {
			t.Error("another fingerprint")
		}
	}
}

// TestToolDefault opens what the tool writes when it is told nothing about suites.
func TestToolDefault(t *testing.T) {
	key := GenerateKey()
	keyFile := write(t, filepath.Join(t.TempDir(), "key"), key.Text())
	plaintext := pattern(200000)
	file := run(t, plaintext, "encrypt", "-k", keyFile)
	h, err := ReadHeader(bytes.NewReader(file))
	if err != nil || h.Suite() != AEGIS256X2 {
		t.Errorf("%v, %v", h.Suite(), err)
	}
	if got := open(t, file, nil, key); !bytes.Equal(got, plaintext) {
		t.Error("another plaintext")
	}
}

// TestToolArmorAndHeader passes armour and a header of its own both ways.
func TestToolArmorAndHeader(t *testing.T) {
	dir := t.TempDir()
	key := GenerateKey()
	at := func(name string) string { return filepath.Join(dir, name) }
	keyFile := write(t, at("key"), key.Text())
	plaintext := pattern(9000)

	armored := run(t, plaintext, "encrypt", "-a", "-s", "aes-256-gcm", "-k", keyFile)
	got, err := readAll(armored, true, nil, []Identity{key})
	if err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("armour of the tool: %v", err)
	}
	var ours bytes.Buffer
	a := NewArmorWriter(&ours)
	w, err := NewWriter(a, nil, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plaintext); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if got := run(t, ours.Bytes(), "decrypt", "-k", keyFile); !bytes.Equal(got, plaintext) {
		t.Error("armour for the tool: another plaintext")
	}

	run(t, plaintext, "encrypt", "-s", "aes-256-gcm", "-k", keyFile, "--header", at("h"), "-o", at("p"))
	head, err := os.ReadFile(at("h"))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := os.ReadFile(at("p"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := ParseHeader(head)
	if err != nil {
		t.Fatal(err)
	}
	got, err = openAll(payload, &ReadOptions{Header: h}, []Identity{key})
	if err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("a header of the tool: %v", err)
	}
	var ourHead bytes.Buffer
	ourPayload := seal(t, plaintext, &WriteOptions{Header: &ourHead}, key)
	other := GenerateKey()
	h, err = ParseHeader(ourHead.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	h, err = Rekey(h, &RekeyOptions{Keep: true}, []Identity{key}, other)
	if err != nil {
		t.Fatal(err)
	}
	write(t, at("h2"), h.Bytes())
	write(t, at("p2"), ourPayload)
	write(t, at("key2"), other.Text())
	if got := run(t, nil, "decrypt", "-k", at("key2"), "--header", at("h2"), at("p2")); !bytes.Equal(got, plaintext) {
		t.Error("a header for the tool: another plaintext")
	}
	run(t, nil, "rekey", "-k", at("key2"), "--to-key", keyFile, "--header", at("h2"), at("p2"))
	if head, err = os.ReadFile(at("h2")); err != nil {
		t.Fatal(err)
	}
	if h, err = ParseHeader(head); err != nil {
		t.Fatal(err)
	}
	if got := open(t, ourPayload, &ReadOptions{Header: h}, key); !bytes.Equal(got, plaintext) {
		t.Error("a header that the tool rekeyed: another plaintext")
	}
}

// TestToolTree reads a tree that the tool encrypted.
func TestToolTree(t *testing.T) {
	dir := t.TempDir()
	key := GenerateKey()
	keyFile := write(t, filepath.Join(dir, "key"), key.Text())
	tree, sealed := filepath.Join(dir, "tree"), filepath.Join(dir, "sealed")
	contents := map[string][]byte{"a/one": pattern(20000), "a/two": nil, "three": pattern(5)}
	if err := os.MkdirAll(filepath.Join(tree, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range contents {
		write(t, filepath.Join(tree, name), data)
	}
	if err := os.Symlink("a/one", filepath.Join(tree, "link")); err != nil {
		t.Fatal(err)
	}
	for _, context := range []string{"", "c"} {
		arguments := []string{"encrypt", "-f", "-s", "aes-256-gcm", "--segment-size", "4KiB", "-k", keyFile, "--recursive",
			"-o", sealed, tree}
		if context != "" {
			arguments = append(arguments, "--context", context)
		}
		run(t, nil, arguments...)
		opened, err := OpenTree(os.DirFS(sealed), &ManifestOptions{Context: []byte(context)}, key)
		if err != nil {
			t.Fatal(err)
		}
		if err := opened.Incomplete(); err != nil || opened.Manifest.Version != 3 {
			t.Errorf("version %d, %v", opened.Manifest.Version, err)
		}
		if missing, strange, err := opened.Compare(); err != nil || len(missing)+len(strange) > 0 {
			t.Errorf("missing %v, strange %v, %v", missing, strange, err)
		}
		var names []string
		for _, e := range opened.Manifest.Entries {
			names = append(names, e.Path)
			if e.Type != 0 {
				continue
			}
			var out bytes.Buffer
			if _, err := opened.WriteFile(&out, e.Path); err != nil || !bytes.Equal(out.Bytes(), contents[e.Path]) {
				t.Errorf("%s: %v", e.Path, err)
			}
		}
		if got := strings.Join(names, " "); got != "a a/one a/two link three" {
			t.Errorf("the tree has %s", got)
		}
	}
}

// TestToolUpdates reads a tree that the tool updated, and one whose update was
// interrupted: the tree before, with what the update brings beside it.
func TestToolUpdates(t *testing.T) {
	dir := t.TempDir()
	key, other := GenerateKey(), GenerateKey()
	keyFile := write(t, filepath.Join(dir, "key"), key.Text())
	tree, sealed, before := filepath.Join(dir, "tree"), filepath.Join(dir, "sealed"), filepath.Join(dir, "before")
	if err := os.Mkdir(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"changes", "goes", "stays"} {
		write(t, filepath.Join(tree, name), []byte(name+", first"))
	}
	update := func() {
		run(t, nil, "encrypt", "-s", "aes-256-gcm", "-k", keyFile, "--recursive", "--update", "-o", sealed, tree)
	}
	open := func(dir string, identities ...Identity) *Tree {
		opened, err := OpenTree(os.DirFS(dir), nil, identities...)
		if err != nil {
			t.Fatal(err)
		}
		return opened
	}
	is := func(opened *Tree, contents map[string]string) {
		t.Helper()
		if missing, strange, err := opened.Compare(); err != nil || len(missing)+len(strange) > 0 {
			t.Errorf("missing %v, strange %v, %v", missing, strange, err)
		}
		for name, want := range contents {
			var out bytes.Buffer
			if _, err := opened.WriteFile(&out, name); err != nil || out.String() != want {
				t.Errorf("%s: %q, %v", name, &out, err)
			}
		}
	}
	now := map[string]string{"added": "added", "changes": "changes, second", "stays": "stays, first"}

	update()
	if err := os.CopyFS(before, os.DirFS(sealed)); err != nil {
		t.Fatal(err)
	}
	first := open(sealed, key)
	write(t, filepath.Join(tree, "changes"), []byte("changes, second"))
	write(t, filepath.Join(tree, "added"), []byte("added"))
	if err := os.Remove(filepath.Join(tree, "goes")); err != nil {
		t.Fatal(err)
	}
	update()
	second := open(sealed, key)
	if second.Incomplete() != nil || second.Manifest.Number != 2 || *second.Manifest.Previous != *first.Manifest.Identity {
		t.Errorf("number %d: %v", second.Manifest.Number, second.Incomplete())
	}
	is(second, now)
	if _, err := second.WriteFile(io.Discard, "goes"); err != ErrNoEntry {
		t.Error(err)
	}

	if err := os.Mkdir(filepath.Join(before, updateName), 0o700); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{manifestName: comingManifest}
	for _, path := range []string{"added", "changes"} {
		places[path+treeSuffix] = updatePlace(second.Entry(path)).name
	}
	for from, to := range places {
		data, err := os.ReadFile(filepath.Join(sealed, from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(before, to), data)
	}
	is(open(before, key), now)
	// Other recipients change no manifest's identity.
	for _, name := range []string{manifestName, comingManifest} {
		path := filepath.Join(before, name)
		run(t, nil, "rekey", "-k", keyFile, "--to-key", write(t, filepath.Join(dir, "other"), other.Text()), path)
		if interrupted := open(before, key, other); !errors.Is(interrupted.Incomplete(), ErrInterrupted) {
			t.Errorf("%s: %v", name, interrupted.Incomplete())
		}
	}
	if err := os.Remove(filepath.Join(before, places["changes.polyseal"])); err != nil {
		t.Fatal(err)
	}
	now["changes"] = "changes, first"
	is(open(before, key, other), now)

	// A socket is no file.
	socket, err := net.Listen("unix", filepath.Join(tree, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if exec.Command(tool(t), "encrypt", "-k", keyFile, "--recursive", "--update", "-o", sealed, tree).Run() == nil {
		t.Error("a socket was encrypted")
	}
	incomplete := open(sealed, key)
	failed := incomplete.Manifest.Failed()
	if !errors.Is(incomplete.Incomplete(), ErrIncomplete) || len(failed) != 1 || failed[0].Path != "socket" || failed[0].Reason != FailureType {
		t.Error(incomplete.Incomplete())
	}
	now["changes"] = "changes, second"
	is(incomplete, now)
}

// verdict is a line of the tool's --json.
type verdict struct {
	Path, Outcome, Error string
	Bytes                int64
	Code                 int
}

// code is the exit code that the tool has for an error.
func code(err error) int {
	for _, no := range []error{ErrNoMatchingKey, ErrContextMissing, ErrContextDiffers, ErrContextUnexpected} {
		if errors.Is(err, no) {
			return 4
		}
	}
	return 3
}

// TestToolAgrees gives random files to the tool and to this package.
// POLYSEAL_FUZZ_COUNT says how many, and POLYSEAL_FUZZ_SEED where to begin.
func TestToolAgrees(t *testing.T) {
	seed, count := number(t, "POLYSEAL_FUZZ_SEED", 1), number(t, "POLYSEAL_FUZZ_COUNT", 200)
	root, err := os.MkdirTemp("/dev/shm", "polyseal-fuzz")
	if err != nil {
		root = t.TempDir()
	}
	defer os.RemoveAll(root)
	g := newGenerator(seed, x25519(t), x25519(t), hybrid(t))
	keyFile := write(t, filepath.Join(root, "key"), g.key.Text())
	identity := write(t, filepath.Join(root, "identity"), []byte(g.x25519.String()+"\n"+g.hybrid.String()+"\n"))
	ids := []Identity{g.key, AgeIdentity(g.x25519), AgeIdentity(g.hybrid)}

	var taken, refused, otherCode uint64
	reasons := map[string]int{}
	for done := uint64(0); done < count; {
		batch := min(1000, count-done)
		context := g.one(3)
		in, out := filepath.Join(root, "in"), filepath.Join(root, "out")
		for _, dir := range []string{in, out} {
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
				t.Fatal(err)
			}
		}
		files := map[string][]byte{}
		var list bytes.Buffer
		for i := range batch {
			file := g.file(context)
			if g.one(4) && len(file) > 0 {
				file = g.armor(file)
			}
			path := fmt.Sprintf("%06d.polyseal", done+i)
			write(t, filepath.Join(in, path), file)
			files[path] = file
			fmt.Fprintln(&list, path)
		}
		done += batch

		arguments := []string{"decrypt", "--json", "--jobs", "1", "-k", keyFile, "-i", identity, "-o", out, "--files-from", "-"}
		o := &ReadOptions{Goroutines: 2}
		if context {
			arguments = append(arguments, "--context", string(generatorContext))
			o.Context = generatorContext
		}
		command := exec.Command(tool(t), arguments...)
		command.Dir = in
		command.Stdin = &list
		result, err := command.Output()
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(result))
		seen := uint64(0)
		for lines.Scan() {
			var v verdict
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatalf("%s: %v", lines.Bytes(), err)
			}
			seen++
			file := files[v.Path]
			plaintext, ours := readAll(file, len(file) > 0 && IsArmor(file[0]), o, ids)
			_, partly := openAll(file, o, ids)
			if len(file) > 0 && !IsArmor(file[0]) && (partly == nil) != (ours == nil) {
				t.Errorf("%s: in order %v, by parts %v", v.Path, ours, partly)
			}
			same := (ours == nil) == (v.Outcome == "decrypted")
			if same && ours == nil {
				theirs, err := os.ReadFile(filepath.Join(out, strings.TrimSuffix(v.Path, ".polyseal")))
				same = err == nil && bytes.Equal(theirs, plaintext)
			}
			if !same {
				keep, err := os.CreateTemp("", "polyseal-differs-*")
				if err == nil {
					_, err = io.Copy(keep, bytes.NewReader(file))
				}
				t.Errorf("%s: ours %v, the tool's %s %q; kept as %v %v", v.Path, ours, v.Outcome, v.Error, keep.Name(), err)
			}
			if ours == nil {
				taken++
				continue
			}
			refused++
			reasons[outcome(ours)]++
			if code(ours) != v.Code {
				otherCode++
				// Where two things are at fault, the tool may see another one
				// first: it looks at the length, and at all of an armour,
				// before it uses a key.
				if !strings.Contains(v.Error, "length") && !strings.Contains(v.Error, "armour") {
					t.Errorf("%s: ours %v, the tool's %d %q", v.Path, ours, v.Code, v.Error)
				}
			}
		}
		if seen != batch {
			t.Fatalf("%d lines for %d files: %s", seen, batch, result[:min(len(result), 1000)])
		}
	}
	t.Logf("seed %d: %d files, %d taken, %d refused by both (%v), %d with another code", seed, count, taken, refused, reasons, otherCode)
	if count >= 200 && (taken < count/10 || refused < count/10) {
		t.Error("nearly all files are of one kind")
	}
}

// TestToolEdges has files for which the specification leaves something open.
// The outcome is what this package does, and what the tool must do as well.
func TestToolEdges(t *testing.T) {
	dir := t.TempDir()
	a, h := x25519(t), hybrid(t)
	identity := write(t, filepath.Join(dir, "identity"), []byte(a.String()+"\n"+h.String()+"\n"))
	ids := []Identity{AgeIdentity(a), AgeIdentity(h)}
	right, wrong := pattern(ageKeyLength), pattern(ageKeyLength + 1)[1:]
	stanza := func(key []byte) string {
		all, err := a.Recipient().Wrap(key)
		if err != nil {
			t.Fatal(err)
		}
		text, err := (&ageBody{recipients: all}).bytes()
		if err != nil {
			t.Fatal(err)
		}
		return string(text[2:])
	}
	const bad = "-> X25519 AAAA\nAAAA\n"
	const lowOrder = "-> X25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
	file := func(bodies ...string) []byte {
		raw := make([]byte, 4096)
		copy(raw, magic)
		raw[atVersion], raw[atSegmentSize+1], raw[atOffset+1] = version, 0x10, 0x10
		copy(raw[atSuite:], AES256GCM.field())
		var all []unsealed
		for _, body := range bodies {
			u := newUnsealed(StanzaAge)
			u.wrapping, u.body = right, []byte("\x00\x00"+body)
			all = append(all, u)
		}
		fileKey := make([]byte, fileKeyLength)
		if err := putStanzas(raw, fileKey, nil, all); err != nil {
			t.Fatal(err)
		}
		p, err := newPayload(raw, AES256GCM, fileKey, nil)
		if err != nil {
			t.Fatal(err)
		}
		segment := make([]byte, 5+p.tag)
		p.seal(new(nonce), segment, 5, 0, true)
		return append(raw, segment...)
	}
	armor := func(old, new string) []byte {
		var out bytes.Buffer
		w := NewArmorWriter(&out)
		if _, err := w.Write(file(stanza(right))); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return bytes.Replace(out.Bytes(), []byte(old), []byte(new), 1)
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a good one":                          {file(stanza(right)), "ok"},
		"a bad recipient before a good one":   {file(bad + stanza(right)), "bad-header"},
		"a bad recipient behind a good one":   {file(stanza(right) + bad), "ok"},
		"a wrong key before the right one":    {file(stanza(wrong) + stanza(right)), "no-matching-key"},
		"a wrong key behind the right one":    {file(stanza(right) + stanza(wrong)), "ok"},
		"a bad stanza behind a good one":      {file(stanza(right), bad), "ok"},
		"a bad stanza before a good one":      {file(bad, stanza(right)), "ok"},
		"a low-order share":                   {file(lowOrder), "bad-header"},
		"a low-order share before a good one": {file(lowOrder + stanza(right)), "bad-header"},
		"a short wrapped key":                 {file(stanza(right[:15])), "bad-header"},
		"a long wrapped key":                  {file(stanza(pattern(17))), "bad-header"},
		"armour: a space on the first line":   {armor("FILE-----\n", "FILE----- \n"), "bad-armor"},
		"armour: a space before the last":     {armor("-----END", " -----END"), "bad-armor"},
		"armour: one CRLF":                    {armor("\n", "\r\n"), "ok"},
		"armour: space around":                {append([]byte(" \t"), armor("-----END POLYSEAL FILE-----\n", "-----END POLYSEAL FILE-----\t ")...), "ok"},
	} {
		path := write(t, filepath.Join(dir, "file"), c.file)
		_, err := readAll(c.file, IsArmor(c.file[0]), nil, ids)
		if got := outcome(err); got != c.want {
			t.Errorf("%s: %s instead of %s", name, got, c.want)
		}
		complaint, err := exec.Command(tool(t), "decrypt", "-i", identity, path).CombinedOutput()
		exit := new(exec.ExitError)
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		code := map[string]int{"ok": 0, "no-matching-key": 4, "bad-header": 3, "bad-armor": 3}[c.want]
		if err == nil && code != 0 || err != nil && exit.ExitCode() != code {
			t.Errorf("%s: the tool says %v: %s", name, err, complaint)
		}
	}
}
