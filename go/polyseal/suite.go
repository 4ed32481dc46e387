package polyseal

// The suites: section 2 of the specification.

import (
	"bytes"
	"crypto/cipher"
	"slices"

	"polyseal.invalid/polyseal/internal/aegis"
)

// A Suite is the name of the algorithm that seals segments, in the one
// spelling of section 2 of the specification.
type Suite string

// The suites that this package computes. AES256GCM is the default, and what
// all readers of the format have. AEGIS256X2 is what the tool writes.
const (
	AES256GCM              Suite = "aes-256-gcm"
	AES128GCM              Suite = "aes-128-gcm"
	XAES256GCM             Suite = "xaes-256-gcm"
	KCXAES256GCM           Suite = "kc-xaes-256-gcm"
	HAES256GCM             Suite = "h-aes-256-gcm"
	HKCAES256GCM           Suite = "h-kc-aes-256-gcm"
	HKDFCommittedAES256GCM Suite = "hkdf-committed-aes-256-gcm"
	PaddingFixAES256GCM    Suite = "padding-fix-aes-256-gcm"
	CTXAES256GCM           Suite = "ctx-aes-256-gcm"

	AEGIS128L       Suite = "aegis-128l"
	AEGIS128LTag32  Suite = "aegis-128l:tag=32"
	AEGIS128X2      Suite = "aegis-128x2"
	AEGIS128X2Tag32 Suite = "aegis-128x2:tag=32"
	AEGIS128X4      Suite = "aegis-128x4"
	AEGIS128X4Tag32 Suite = "aegis-128x4:tag=32"
	AEGIS256        Suite = "aegis-256"
	AEGIS256Tag32   Suite = "aegis-256:tag=32"
	AEGIS256X2      Suite = "aegis-256x2"
	AEGIS256X2Tag32 Suite = "aegis-256x2:tag=32"
	AEGIS256X4      Suite = "aegis-256x4"
	AEGIS256X4Tag32 Suite = "aegis-256x4:tag=32"

	CTXAEGIS128L  Suite = "ctx-aegis-128l"
	CTXAEGIS128X2 Suite = "ctx-aegis-128x2"
	CTXAEGIS128X4 Suite = "ctx-aegis-128x4"
	CTXAEGIS256   Suite = "ctx-aegis-256"
	CTXAEGIS256X2 Suite = "ctx-aegis-256x2"
	CTXAEGIS256X4 Suite = "ctx-aegis-256x4"
)

// suiteField is the length of the suite in the header.
const suiteField = 64

// algorithm is a row of the table of suites.
type algorithm struct {
	key, nonce, tag int
	// perSegment is what a segment adds to the bytes that are encrypted
	// with GCM under one key, of which there may be 2^52 (section 6). It is
	// 0 where every segment has a key of its own, or the suite is not GCM.
	perSegment int
	// new makes the cipher from a key, and is nil where the suite is known
	// by name only. The cipher must be safe for concurrent use, and work in
	// place.
	new func(key []byte) cipher.AEAD
}

var algorithms = map[Suite]algorithm{
	AES256GCM:              {key: 32, nonce: 12, tag: 16, perSegment: 16, new: newGCM},
	AES128GCM:              {key: 16, nonce: 12, tag: 16, perSegment: 16, new: newGCM},
	XAES256GCM:             {key: 32, nonce: 24, tag: 16, new: newXAES},
	KCXAES256GCM:           {key: 32, nonce: 24, tag: 48, new: newKCXAES},
	HAES256GCM:             {key: 32, nonce: 24, tag: 16, new: newHAES},
	HKCAES256GCM:           {key: 32, nonce: 24, tag: 48, new: newHKCAES},
	HKDFCommittedAES256GCM: {key: 32, nonce: 32, tag: 48, new: newHKDFCommitted},
	PaddingFixAES256GCM:    {key: 32, nonce: 12, tag: 48, perSegment: 48, new: newPaddingFix},
	CTXAES256GCM:           {key: 32, nonce: 12, tag: 32, perSegment: 16, new: newCTX},

	AEGIS128L:       {key: 16, nonce: 16, tag: 16, new: newAEGIS(aegis.AEGIS128L, 16)},
	AEGIS128LTag32:  {key: 16, nonce: 16, tag: 32, new: newAEGIS(aegis.AEGIS128L, 32)},
	AEGIS128X2:      {key: 16, nonce: 16, tag: 16, new: newAEGIS(aegis.AEGIS128X2, 16)},
	AEGIS128X2Tag32: {key: 16, nonce: 16, tag: 32, new: newAEGIS(aegis.AEGIS128X2, 32)},
	AEGIS128X4:      {key: 16, nonce: 16, tag: 16, new: newAEGIS(aegis.AEGIS128X4, 16)},
	AEGIS128X4Tag32: {key: 16, nonce: 16, tag: 32, new: newAEGIS(aegis.AEGIS128X4, 32)},
	AEGIS256:        {key: 32, nonce: 32, tag: 16, new: newAEGIS(aegis.AEGIS256, 16)},
	AEGIS256Tag32:   {key: 32, nonce: 32, tag: 32, new: newAEGIS(aegis.AEGIS256, 32)},
	AEGIS256X2:      {key: 32, nonce: 32, tag: 16, new: newAEGIS(aegis.AEGIS256X2, 16)},
	AEGIS256X2Tag32: {key: 32, nonce: 32, tag: 32, new: newAEGIS(aegis.AEGIS256X2, 32)},
	AEGIS256X4:      {key: 32, nonce: 32, tag: 16, new: newAEGIS(aegis.AEGIS256X4, 16)},
	AEGIS256X4Tag32: {key: 32, nonce: 32, tag: 32, new: newAEGIS(aegis.AEGIS256X4, 32)},
	CTXAEGIS128L:    {key: 16, nonce: 16, tag: 32, new: newCTXAEGIS(aegis.AEGIS128L)},
	CTXAEGIS128X2:   {key: 16, nonce: 16, tag: 32, new: newCTXAEGIS(aegis.AEGIS128X2)},
	CTXAEGIS128X4:   {key: 16, nonce: 16, tag: 32, new: newCTXAEGIS(aegis.AEGIS128X4)},
	CTXAEGIS256:     {key: 32, nonce: 32, tag: 32, new: newCTXAEGIS(aegis.AEGIS256)},
	CTXAEGIS256X2:   {key: 32, nonce: 32, tag: 32, new: newCTXAEGIS(aegis.AEGIS256X2)},
	CTXAEGIS256X4:   {key: 32, nonce: 32, tag: 32, new: newCTXAEGIS(aegis.AEGIS256X4)},

	"dndk-gcm":           {key: 32, nonce: 24, tag: 16},
	"dndk-gcm:kc=1":      {key: 32, nonce: 24, tag: 48},
	"flex-och":           {key: 32, nonce: 32, tag: 64},
	"flex-civ":           {key: 32, nonce: 32, tag: 64},
	"flex-och-public":    {key: 32, nonce: 24, tag: 32},
	"flex-civ-public":    {key: 32, nonce: 24, tag: 32},
	"flex-robust":        {key: 32, nonce: 24, tag: 32},
	"flex-och-transport": {key: 32, nonce: 12, tag: 16},
	"omd-sha256":         {key: 32, nonce: 31, tag: 32},
	"omd-sha512":         {key: 64, nonce: 32, tag: 64},
	"omd-blake2b":        {key: 64, nonce: 32, tag: 64},
}

// Known says whether s is a suite of the format.
func (s Suite) Known() bool {
	_, ok := algorithms[s]
	return ok
}

// Supported says whether this package seals and opens segments with s.
func (s Suite) Supported() bool { return algorithms[s].new != nil }

// TagSize is the number of bytes that s adds to a segment, or 0 if s is no
// suite of the format.
func (s Suite) TagSize() int { return algorithms[s].tag }

// Suites returns the names of all suites of the format, sorted.
func Suites() []Suite {
	all := make([]Suite, 0, len(algorithms))
	for s := range algorithms {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// parseSuite reads the suite field of a header.
func parseSuite(field []byte) (Suite, error) {
	name, rest, ok := bytes.Cut(field, []byte{0})
	if !ok || !isZero(rest) {
		return "", badHeader("the suite is not followed by zeros")
	}
	if s := Suite(name); s.Known() {
		return s, nil
	}
	return "", badHeader("%.64q is no suite", name)
}

// field returns the suite as the header has it.
func (s Suite) field() []byte {
	f := make([]byte, suiteField)
	copy(f, s)
	return f
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
