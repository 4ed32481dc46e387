package polyseal

// Keys and their uses: sections 3 to 6 of the specification.

import (
	"crypto/subtle"
	"encoding/binary"
)

// unwrap returns the file key: the first that a key unwraps and that gives the
// header MAC.
func (h *Header) unwrap(identities []Identity) ([]byte, error) {
	fixed := fixedFields(h.raw)
	anyID := false
	var rejected error
	for i := range h.stanzas {
		s := &h.stanzas[i]
		for _, identity := range identities {
			wrapping, err := identity.wrapping(s)
			if err != nil && rejected == nil {
				rejected = err
			}
			if wrapping == nil {
				continue
			}
			fileKey, idRight := s.unwrap(wrapping, fixed)
			clear(wrapping)
			anyID = anyID || idRight
			if fileKey == nil {
				continue
			}
			if h.authentic(fileKey) {
				return fileKey, nil
			}
			clear(fileKey)
		}
	}
	switch {
	case anyID:
		return nil, ErrHeaderNotAuthentic
	case rejected != nil:
		return nil, &HeaderError{"age rejects a recipient stanza", rejected}
	}
	return nil, ErrNoMatchingKey
}

// authentic checks the header MAC.
func (h *Header) authentic(fileKey []byte) bool {
	end := len(h.raw) - macLength
	return subtle.ConstantTimeCompare(headerMAC(h.raw, fileKey), h.raw[end:]) == 1
}

// headerMAC computes the MAC of a header, which has room for it at its end.
func headerMAC(raw, fileKey []byte) []byte {
	key := expand(fileKey, raw[atFileSalt:atSuite], "polyseal-file/1 header", 32)
	defer clear(key)
	return mac(key, raw[:len(raw)-macLength])
}

func contextTag(raw, fileKey, context []byte) []byte {
	return expand(fileKey, raw[atFileSalt:atSuite], "polyseal-file/1 context"+string(context), 32)
}

// checkContext compares the context that the caller gives with that of the file.
func (h *Header) checkContext(fileKey, context []byte) error {
	switch {
	case !h.HasContext() && len(context) == 0:
		return nil
	case !h.HasContext():
		return ErrContextUnexpected
	case len(context) == 0:
		return ErrContextMissing
	case len(context) > contextMaximum,
		subtle.ConstantTimeCompare(contextTag(h.raw, fileKey, context), h.raw[atContextTag:fixedLength]) == 0:
		return ErrContextDiffers
	}
	return nil
}

// payload opens the header and returns what seals the segments, and which of
// the contexts the file has. The error is that of the last context. If there is
// a statement, it has to be about this file.
func (h *Header) payload(identities []Identity, st *Statement, contexts ...[]byte) (p *payload, which int, err error) {
	if st != nil {
		if err := st.checkHeader(h); err != nil {
			return nil, 0, err
		}
	}
	fileKey, err := h.unwrap(identities)
	if err != nil {
		return nil, 0, err
	}
	defer clear(fileKey)
	if st != nil {
		if err := st.checkKey(h.raw, fileKey); err != nil {
			return nil, 0, err
		}
	}
	for i, context := range contexts {
		if err = h.checkContext(fileKey, context); err == nil {
			if p, err = newPayload(h.raw, h.suite, fileKey, context); err == nil {
				p.statement = st
			}
			return p, i, err
		}
	}
	return nil, 0, err
}

// newPayload derives the payload key of a header whose fields are set.
func newPayload(raw []byte, suite Suite, fileKey, context []byte) (*payload, error) {
	if !suite.Supported() {
		return nil, &UnsupportedSuiteError{suite}
	}
	info := append([]byte("polyseal-file/1 payload"), raw[atVersion:atStanzaCount]...)
	info = append(info, raw[atSegmentSize:atReserved]...)
	info = append(info, raw[atSuite:atContextTag]...)
	info = append(info, context...)
	key := expand(fileKey, raw[atFileSalt:atSuite], string(info), algorithms[suite].key)
	defer clear(key)
	size := int(binary.LittleEndian.Uint32(raw[atSegmentSize:]))
	return &payload{newGeometry(suite, size), algorithms[suite].new(key), keyCommitment(raw, fileKey), nil}, nil
}
