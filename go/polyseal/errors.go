package polyseal

import (
	"errors"
	"fmt"
)

// The errors of a reader on a file that it refuses, and of a writer on its
// arguments. All can be tested with [errors.Is]; [HeaderError], [SegmentError],
// [UnsupportedSuiteError], [ArmorError] and [KeyFileError] carry more, for
// [errors.As].
var (
	// ErrNotPolyseal says that the magic is another one.
	ErrNotPolyseal = errors.New("polyseal: not a Polyseal file")
	// ErrUnsupportedVersion says that the version of the format is not 1.
	ErrUnsupportedVersion = errors.New("polyseal: unsupported version of the file format")
	// ErrTruncatedHeader says that the file ends within its header.
	ErrTruncatedHeader = errors.New("polyseal: the file ends within its header")
	// ErrHeaderNotAuthentic says that a key belongs to the file, but that
	// its stanza or the header was altered.
	ErrHeaderNotAuthentic = errors.New("polyseal: the header is not authentic")
	// ErrNoMatchingKey says that the file is for other keys.
	ErrNoMatchingKey = errors.New("polyseal: no key opens this file")
	// ErrContextMissing says that the file has a context and none was given.
	ErrContextMissing = errors.New("polyseal: the file has a context, and none was given")
	// ErrContextDiffers says that the file has another context.
	ErrContextDiffers = errors.New("polyseal: the file has another context")
	// ErrContextUnexpected says that a context was given for a file without one.
	ErrContextUnexpected = errors.New("polyseal: the file has no context, and one was given")
	// ErrUnsupportedSuite says that the suite exists, and that this package
	// does not compute it. The error is an [UnsupportedSuiteError].
	ErrUnsupportedSuite = errors.New("polyseal: unsupported suite")
	// ErrPayloadLength says that no payload has this length: it is empty,
	// ends within a tag, or has an empty segment after others.
	ErrPayloadLength = errors.New("polyseal: the payload is truncated")
	// ErrTooLong says that a plaintext is longer than its suite allows, or
	// than a signed number of 64 bits can say.
	ErrTooLong = errors.New("polyseal: the plaintext is too long for the suite")
	// ErrTooManyRecipients says that the recipients do not fit into a header.
	ErrTooManyRecipients = errors.New("polyseal: too many recipients for one header")
	// ErrInvalidOptions says that no file can be written with these
	// options. The error's message says which one is wrong.
	ErrInvalidOptions = errors.New("polyseal: invalid options")
	// ErrInvalidRecipients says that no file can be sealed for these
	// recipients. The error's message says why; an error of an age
	// recipient is found as well.
	ErrInvalidRecipients = errors.New("polyseal: invalid recipients")
)

// invalidError has a message of its own, and is found as its kind.
type invalidError struct{ kind, err error }

func (e *invalidError) Error() string   { return e.err.Error() }
func (e *invalidError) Unwrap() []error { return []error{e.kind, e.err} }

func invalid(kind error, format string, a ...any) error {
	return &invalidError{kind, fmt.Errorf(format, a...)}
}

// A HeaderError says which rule of the format a header breaks.
type HeaderError struct {
	// Reason says what is wrong.
	Reason string
	// Err is the error of the age identity that rejected a recipient
	// stanza outright. Otherwise it is nil.
	Err error
}

func (e *HeaderError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("polyseal: bad header: %s: %v", e.Reason, e.Err)
	}
	return "polyseal: bad header: " + e.Reason
}

func (e *HeaderError) Unwrap() error { return e.Err }

func badHeader(format string, a ...any) error {
	return &HeaderError{Reason: fmt.Sprintf(format, a...)}
}

// A SegmentError says which segment, counted from 0, does not open under its
// number and its last-flag.
type SegmentError struct {
	Number uint64
}

func (e *SegmentError) Error() string {
	return fmt.Sprintf("polyseal: segment %d is not authentic", e.Number)
}

// An UnsupportedSuiteError names a suite of the format that this package does
// not compute. It is an [ErrUnsupportedSuite].
type UnsupportedSuiteError struct {
	Suite Suite
}

func (e *UnsupportedSuiteError) Error() string {
	return fmt.Sprintf("polyseal: unsupported suite %s: the tool opens such a file, "+
		"and re-encrypted with polyseal encrypt --portable it opens here", e.Suite)
}

// Is makes errors.Is(err, ErrUnsupportedSuite) true.
func (e *UnsupportedSuiteError) Is(target error) bool { return target == ErrUnsupportedSuite }

// An ArmorError says why a text is no ASCII armour.
type ArmorError struct {
	Reason string
}

func (e *ArmorError) Error() string { return "polyseal: bad armour: " + e.Reason }

// A KeyFileError says why bytes are no key file. It never shows them.
type KeyFileError struct {
	Reason string
}

func (e *KeyFileError) Error() string { return "polyseal: bad key file: " + e.Reason }
