package polyseal

// Lists of signers who are allowed: ALLOWED SIGNERS in ssh-keygen(1).

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
)

// Signers is a list of keys whose signatures are accepted, as
// `ssh-keygen -Y verify` reads it. Lines with cert-authority accept nothing:
// certificates are not read.
type Signers struct{ lines []signerLine }

// A Signer is whose signature was accepted.
type Signer struct {
	// Principal is the name that was asked for, or else all that the list
	// has for the key.
	Principal string
	// Fingerprint is that of the key, as SHA256:….
	Fingerprint string
}

// A SignersError says which line of a list of signers, counted from 1, is not
// understood.
type SignersError struct{ Line int }

func (e *SignersError) Error() string {
	return fmt.Sprintf("polyseal: line %d of the list of signers is not understood", e.Line)
}

type signerLine struct {
	principals  string
	isAuthority bool
	// namespaces, validAfter and validBefore are nil if the line has none.
	namespaces              *string
	validAfter, validBefore *time.Time
	key                     []byte
}

// ParseSigners reads a list: a line for each key. Empty lines, and those that
// begin with #, are passed over. A line with an option that is not known, and a
// time that does not end in Z, are a [SignersError]: nobody knows here what the
// line forbids.
func ParseSigners(list []byte) (*Signers, error) {
	s := new(Signers)
	for i, text := range strings.Split(string(list), "\n") {
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		line, ok := parseSignerLine(text)
		if !ok {
			return nil, &SignersError{i + 1}
		}
		s.lines = append(s.lines, *line)
	}
	return s, nil
}

// accepted returns the signer with this key who is allowed, if there is one.
func (s *Signers) accepted(key []byte, by string, at time.Time) (*Signer, bool) {
	for i := range s.lines {
		l := &s.lines[i]
		if !bytes.Equal(l.key, key) || l.isAuthority ||
			l.namespaces != nil && !matchesList(*l.namespaces, statementNamespace) ||
			l.validAfter != nil && at.Before(*l.validAfter) || l.validBefore != nil && !at.Before(*l.validBefore) ||
			by != "" && !matchesList(l.principals, by) {
			continue
		}
		principal := by
		if by == "" {
			principal = l.principals
		}
		return &Signer{principal, sshFingerprint(key)}, true
	}
	return nil, false
}

func parseSignerLine(text string) (*signerLine, bool) {
	principals, rest := cutWord(text)
	principals, ok := unquote(principals)
	if !ok {
		return nil, false
	}
	l := &signerLine{principals: principals}
	if l.key, ok = parsePublicKey(rest); ok {
		return l, true
	}
	options, rest := cutWord(rest)
	if l.key, ok = parsePublicKey(rest); !ok {
		return nil, false
	}
	for option := range splitUnquoted(options, ",") {
		if !l.option(option) {
			return nil, false
		}
	}
	return l, true
}

// option takes one. None may be there twice, and a value is in quotes.
func (l *signerLine) option(option string) bool {
	name, quoted, _ := strings.Cut(option, "=")
	value, ok := unquote(quoted)
	name = strings.ToLower(name)
	switch {
	case !ok:
		return false
	case option == "":
		return true
	case name == "cert-authority":
		l.isAuthority = true
		return true
	case len(quoted) < 2 || quoted[0] != '"':
		return false
	case name == "namespaces" && l.namespaces == nil:
		l.namespaces = &value
		return true
	case name == "valid-after" && l.validAfter == nil:
		l.validAfter = parseSignerTime(value)
		return l.validAfter != nil
	case name == "valid-before" && l.validBefore == nil:
		l.validBefore = parseSignerTime(value)
		return l.validBefore != nil
	}
	return false
}

// parsePublicKey reads a key as it is in authorized_keys, without options. A
// key of a kind that is not known here, or of RSA and too short, verifies
// nothing.
func parsePublicKey(text string) ([]byte, bool) {
	kind, rest := cutWord(text)
	encoded, _ := cutWord(rest)
	blob, err := base64.StdEncoding.Strict().DecodeString(encoded)
	f := sshFields{rest: blob}
	if err != nil || kind == "" || string(f.string()) != kind || f.failed {
		return nil, false
	}
	_, _, _, ok := parseSSHKey(blob)
	_, known := sshKinds[kind]
	return blob, ok || !known || kind == "ssh-rsa"
}

// cutWord cuts at the first blank that is not within quotes.
func cutWord(text string) (word, rest string) {
	for word = range splitUnquoted(text, " \t") {
		break
	}
	return word, strings.TrimLeft(text[len(word):], " \t")
}

// splitUnquoted gives the parts between separators that are not within quotes.
func splitUnquoted(text, separators string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := range len(text) {
			if text[i] == '"' {
				quoted = !quoted
			}
			if !quoted && strings.IndexByte(separators, text[i]) >= 0 {
				if !yield(text[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(text[start:])
	}
}

func unquote(text string) (string, bool) {
	if strings.HasPrefix(text, `"`) {
		if len(text) < 2 || text[len(text)-1] != '"' {
			return "", false
		}
		text = text[1 : len(text)-1]
	}
	return text, !strings.Contains(text, `"`)
}

// parseSignerTime reads YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, and Z.
func parseSignerTime(text string) *time.Time {
	const layout = "200601021504"
	digits, ok := strings.CutSuffix(text, "Z")
	if n := len(digits); !ok || n != 8 && n != 12 && n != 14 || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	minutes := min(len(digits), len(layout))
	t, err := time.Parse(layout[:minutes], digits[:minutes])
	seconds, _ := strconv.Atoi(digits[minutes:])
	// 60 is a leap second.
	if err != nil || t.Unix() < 0 || seconds > 60 {
		return nil
	}
	t = t.Add(time.Duration(seconds) * time.Second)
	return &t
}

// matchesList says whether a list of patterns has one for text, and none with
// an exclamation mark that is.
func matchesList(patterns, text string) bool {
	met := false
	for pattern := range strings.SplitSeq(patterns, ",") {
		pattern, forbids := strings.CutPrefix(pattern, "!")
		if matchesPattern(pattern, text) {
			if forbids {
				return false
			}
			met = true
		}
	}
	return met
}

// matchesPattern takes * for any bytes, and ? for one.
func matchesPattern(pattern, text string) bool {
	// star is behind the last *, and from is where what it stands for ends.
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			p++
			star, from = p, t
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			from++
			p, t = star, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
