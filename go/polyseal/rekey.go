package polyseal

// Changing recipients: section 7 of the specification.

import (
	"bytes"
	"slices"
)

// RekeyOptions are what happens to the recipients that a header has.
type RekeyOptions struct {
	// Keep keeps all of them. Otherwise the new ones replace them.
	Keep bool
}

// Rekey returns another header for the same payload, of the same length, that
// opens for other recipients. Writing it over the beginning of the file, or
// over the header that is kept apart, changes who can open the file. The
// context need not be known.
//
// This does not revoke: anyone who could open the file may have kept the old
// header or the file key. To revoke, encrypt the plaintext anew.
//
// The error is [ErrTooManyRecipients] if the header has no room for them, and
// [ErrInvalidRecipients] if they cannot be used, or not with those that are kept.
func Rekey(h *Header, opts *RekeyOptions, identities []Identity, recipients ...Recipient) (*Header, error) {
	fileKey, err := h.unwrap(identities)
	if err != nil {
		return nil, err
	}
	defer clear(fileKey)
	added, err := unsealedFor(recipients)
	if err != nil {
		return nil, err
	}
	defer wipe(added)
	var kept []stanza
	if opts != nil && opts.Keep {
		kept = slices.Clone(h.stanzas)
	}
	raw := bytes.Clone(h.raw)
	if err := putStanzas(raw, fileKey, kept, added); err != nil {
		return nil, err
	}
	return ParseHeader(raw)
}
