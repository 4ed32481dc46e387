package polyseal

// Recipients to seal a file for, and identities to open it with. Section 4 of
// the specification.

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"filippo.io/age"
)

// A Recipient is whom a file is sealed for: a [Key], a [Passphrase], or what
// [AgeRecipient] returns.
type Recipient interface{ recipient() }

// An Identity opens files: a [Key], a [Passphrase], or what [AgeIdentity]
// returns.
type Identity interface {
	// wrapping returns the wrapping key to try on a stanza, or nil if it
	// has none. The error is that of age where age rejects the stanza.
	wrapping(s *stanza) (key []byte, rejected error)
}

type ageRecipient struct{ age.Recipient }

// The identity is behind a pointer, and not embedded, because those of age have
// a String that returns the secret key. fmt prints the address of the pointer.
type ageIdentity struct{ identity *age.Identity }

// AgeRecipient makes a recipient of one of age, of any type but scrypt.
func AgeRecipient(r age.Recipient) Recipient { return ageRecipient{r} }

// AgeIdentity makes an identity of one of age, of any type. One of type scrypt
// opens nothing, because a file has no such recipient.
func AgeIdentity(i age.Identity) Identity { return ageIdentity{&i} }

func (*Key) recipient()         {}
func (*Passphrase) recipient()  {}
func (ageRecipient) recipient() {}

func (k *Key) wrapping(s *stanza) ([]byte, error) {
	if s.kind != StanzaKeyFile {
		return nil, nil
	}
	return slices.Clone(k.bytes()), nil
}

func (p *Passphrase) wrapping(s *stanza) ([]byte, error) {
	if s.kind != StanzaPassphrase || p.bytes() == nil {
		return nil, nil
	}
	return s.argon.stretch(p.bytes(), s.salt()), nil
}

func (i ageIdentity) wrapping(s *stanza) ([]byte, error) {
	if s.kind != StanzaAge {
		return nil, nil
	}
	key, err := (*i.identity).Unwrap(copyStanzas(s.age.recipients))
	switch {
	case errors.Is(err, age.ErrIncorrectIdentity):
		return nil, nil
	case err != nil:
		return nil, err
	case len(key) != ageKeyLength:
		clear(key)
		return nil, fmt.Errorf("a wrapping key of %d bytes", len(key))
	}
	return key, nil
}

// copyStanzas keeps an identity from changing what another one sees.
func copyStanzas(all []*age.Stanza) []*age.Stanza {
	out := make([]*age.Stanza, len(all))
	for i, s := range all {
		out[i] = &age.Stanza{Type: s.Type, Args: slices.Clone(s.Args), Body: slices.Clone(s.Body)}
	}
	return out
}

var errNilRecipient = invalid(ErrInvalidRecipients, "polyseal: a recipient is nil")

// unsealedFor makes the stanzas for recipients: one for each key, and one for
// all recipients of age together.
func unsealedFor(recipients []Recipient) ([]unsealed, error) {
	var all []unsealed
	var ages []age.Recipient
	for _, r := range recipients {
		switch r := r.(type) {
		case *Key:
			if r.bytes() == nil {
				return nil, errNilRecipient
			}
			u := newUnsealed(StanzaKeyFile)
			u.wrapping = slices.Clone(r.bytes())
			all = append(all, u)
		case *Passphrase:
			if len(recipients) > 1 {
				return nil, invalid(ErrInvalidRecipients, "polyseal: a passphrase is the only recipient of a file")
			}
			if r.bytes() == nil {
				return nil, errNilRecipient
			}
			u := newUnsealed(StanzaPassphrase)
			u.wrapping = r.cost.stretch(r.bytes(), u.salt)
			u.body = r.cost.bytes()
			all = append(all, u)
		case ageRecipient:
			ages = append(ages, r.Recipient)
		default:
			return nil, errNilRecipient
		}
	}
	if len(ages) > 0 {
		u, err := unsealedForAge(ages)
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	if len(all) == 0 {
		return nil, invalid(ErrInvalidRecipients, "polyseal: no recipients")
	}
	return all, nil
}

func unsealedForAge(ages []age.Recipient) (unsealed, error) {
	u := newUnsealed(StanzaAge)
	u.wrapping = make([]byte, ageKeyLength)
	rand.Read(u.wrapping)
	body := new(ageBody)
	for i, r := range ages {
		stanzas, labels, err := wrapForAge(r, slices.Clone(u.wrapping))
		if err != nil {
			return u, invalid(ErrInvalidRecipients, "polyseal: age recipient %d: %w", i, err)
		}
		slices.Sort(labels)
		labels = slices.Compact(labels)
		if i > 0 && !slices.Equal(labels, body.labels) {
			return u, invalid(ErrInvalidRecipients, "polyseal: age recipients with the labels %q and %q cannot be mixed", body.labels, labels)
		}
		body.labels = labels
		body.recipients = append(body.recipients, stanzas...)
		if len(body.recipients) > stanzasMaximum {
			return u, ErrTooManyRecipients
		}
	}
	if len(body.recipients) == 0 {
		return u, invalid(ErrInvalidRecipients, "polyseal: the age recipients gave no stanza")
	}
	var err error
	u.body, err = body.bytes()
	return u, err
}

func wrapForAge(r age.Recipient, key []byte) ([]*age.Stanza, []string, error) {
	if r, ok := r.(age.RecipientWithLabels); ok {
		return r.WrapWithLabels(key)
	}
	stanzas, err := r.Wrap(key)
	return stanzas, nil, err
}
