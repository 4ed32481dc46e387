package polyseal

// Age stanzas behind the wrapped file key: type 3 of section 4 of the
// specification.

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"filippo.io/age"
)

const (
	ageColumns = 64
	ageScrypt  = "scrypt"
	agePrefix  = "-> "
	// ageKeyLength is the length of a wrapping key that age wraps.
	ageKeyLength = 16
)

var ageBase64 = base64.RawStdEncoding.Strict()

// ageBody is the labels and recipient stanzas of an age stanza.
type ageBody struct {
	labels     []string
	recipients []*age.Stanza
}

func parseAge(body []byte) (*ageBody, error) {
	if len(body) < 2 {
		return nil, badHeader("an age stanza without labels")
	}
	length := int(binary.LittleEndian.Uint16(body))
	if length > len(body)-2 {
		return nil, badHeader("the labels of an age stanza do not fit")
	}
	labels, rest := string(body[2:2+length]), body[2+length:]
	a := new(ageBody)
	if labels != "" {
		a.labels = strings.Split(labels, " ")
	}
	if err := checkLabels(a.labels); err != nil {
		return nil, badHeader("%v", err)
	}
	if len(rest) == 0 {
		return nil, badHeader("an age stanza without recipients")
	}
	for len(rest) > 0 {
		r, after, err := parseAgeRecipient(rest)
		if err != nil {
			return nil, badHeader("a recipient stanza of age: %v", err)
		}
		if len(a.recipients) == stanzasMaximum {
			return nil, badHeader("more than %d recipients", stanzasMaximum)
		}
		a.recipients = append(a.recipients, r)
		rest = after
	}
	return a, nil
}

// checkLabels says whether labels are visible ASCII, sorted, and each once.
func checkLabels(labels []string) error {
	for i, l := range labels {
		if !isVisible(l) {
			return errors.New("a label of age is not visible ASCII")
		}
		if i > 0 && labels[i-1] >= l {
			return errors.New("the labels of age are not sorted")
		}
	}
	return nil
}

// isVisible says whether s is a string of age: at least one visible character.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e {
			return false
		}
	}
	return s != ""
}

func parseAgeRecipient(b []byte) (*age.Stanza, []byte, error) {
	line, rest, ended := bytes.Cut(b, []byte{'\n'})
	words, ok := strings.CutPrefix(string(line), agePrefix)
	if !ended || !ok {
		return nil, nil, errors.New("no first line")
	}
	arguments := strings.Split(words, " ")
	if slices.ContainsFunc(arguments, func(s string) bool { return !isVisible(s) }) {
		return nil, nil, errors.New("an argument that is not visible ASCII")
	}
	s := &age.Stanza{Type: arguments[0], Args: arguments[1:], Body: []byte{}}
	if s.Type == ageScrypt {
		return nil, nil, errors.New("the type scrypt")
	}
	for {
		line, rest, ended = bytes.Cut(rest, []byte{'\n'})
		if !ended || len(line) > ageColumns || bytes.IndexByte(line, '\r') >= 0 {
			return nil, nil, errors.New("a bad line in its body")
		}
		decoded, err := ageBase64.DecodeString(string(line))
		if err != nil {
			return nil, nil, errors.New("a bad line in its body")
		}
		s.Body = append(s.Body, decoded...)
		if len(line) < ageColumns {
			return s, rest, nil
		}
	}
}

// bytes is the body of the stanza. It fails where parseAge would refuse it,
// since recipients may be of any type.
func (a *ageBody) bytes() ([]byte, error) {
	if err := checkLabels(a.labels); err != nil {
		return nil, invalid(ErrInvalidRecipients, "polyseal: %w", err)
	}
	labels := strings.Join(a.labels, " ")
	if len(labels) > headerMaximum-1 {
		return nil, ErrTooManyRecipients
	}
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(labels)))
	b = append(b, labels...)
	for _, r := range a.recipients {
		for _, word := range append([]string{r.Type}, r.Args...) {
			if !isVisible(word) {
				return nil, invalid(ErrInvalidRecipients, "polyseal: an age recipient gave the bad argument %q", word)
			}
		}
		if r.Type == ageScrypt {
			return nil, invalid(ErrInvalidRecipients, "polyseal: a passphrase of age is no recipient; use NewPassphrase")
		}
		b = append(b, agePrefix...)
		b = append(b, strings.Join(append([]string{r.Type}, r.Args...), " ")...)
		b = append(b, '\n')
		text := ageBase64.EncodeToString(r.Body)
		for len(text) >= ageColumns {
			b = append(append(b, text[:ageColumns]...), '\n')
			text = text[ageColumns:]
		}
		b = append(append(b, text...), '\n')
	}
	return b, nil
}
