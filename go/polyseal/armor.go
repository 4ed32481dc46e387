package polyseal

// ASCII armour: section 9 of the specification.

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
)

const (
	armorBegin   = "-----BEGIN POLYSEAL FILE-----"
	armorEnd     = "-----END POLYSEAL FILE-----"
	armorColumns = 64
	armorLine    = 48 // bytes of a full line
)

var armorBase64 = base64.StdEncoding.Strict()

// IsArmor says whether a file that begins with c is ASCII armour.
func IsArmor(c byte) bool {
	switch c {
	case '-', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// NewArmorReader returns the file in the ASCII armour that src has. Armour
// authenticates nothing: give what it returns to [NewReader].
//
// The errors of Read are an [ArmorError] and those of src. The end of the file
// is [io.EOF], after all of src has been read.
func NewArmorReader(src io.Reader) io.Reader {
	return &armorReader{src: bufio.NewReaderSize(src, 32<<10)}
}

type armorReader struct {
	src     *bufio.Reader
	begun   bool
	short   bool // a line was shorter than others: it was the last
	lines   bool // there was a line
	decoded [armorLine]byte
	rest    []byte // of decoded
	err     error
}

func (a *armorReader) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(a.rest) == 0 {
			if a.err == nil {
				a.err = a.next()
			}
			if a.err != nil {
				break
			}
		}
		copied := copy(b[n:], a.rest)
		a.rest = a.rest[copied:]
		n += copied
	}
	if n > 0 || len(b) == 0 {
		return n, nil
	}
	return 0, a.err
}

// next decodes a line, or returns io.EOF after the last one.
func (a *armorReader) next() error {
	if !a.begun {
		if err := a.begin(); err != nil {
			return err
		}
		a.begun = true
	}
	c, err := a.src.Peek(1)
	if err != nil {
		return armorCut(err)
	}
	if c[0] == '-' {
		return a.end()
	}
	if a.short {
		return &ArmorError{"a line follows a short one"}
	}
	line, err := a.line()
	if err != nil {
		return err
	}
	n, err := armorBase64.Decode(a.decoded[:], line)
	if err != nil {
		return &ArmorError{"a line is not Base64"}
	}
	a.rest = a.decoded[:n]
	a.lines = true
	a.short = n < armorLine
	return nil
}

// line returns a line of Base64, without its end.
func (a *armorReader) line() ([]byte, error) {
	line, err := a.src.ReadSlice('\n')
	if err != nil && err != bufio.ErrBufferFull {
		return nil, armorCut(err)
	}
	line = line[:max(0, len(line)-1)]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if err != nil || len(line) == 0 || len(line) > armorColumns {
		return nil, &ArmorError{"a line that does not have 1 to 64 characters"}
	}
	for _, c := range line {
		// The decoder would pass over it.
		if c == '\r' {
			return nil, &ArmorError{"a carriage return that ends no line"}
		}
	}
	return line, nil
}

// begin reads the first line, and the white space before it.
func (a *armorReader) begin() error {
	if err := a.blank(); err != nil {
		return armorCut(err)
	}
	if err := a.expect(armorBegin); err != nil {
		return err
	}
	c, err := a.src.ReadByte()
	if err == nil && c == '\r' {
		c, err = a.src.ReadByte()
	}
	if err != nil {
		return armorCut(err)
	}
	if c != '\n' {
		return &ArmorError{"something follows the first line"}
	}
	return nil
}

// end reads the last line, and the white space after it.
func (a *armorReader) end() error {
	if err := a.expect(armorEnd); err != nil {
		return err
	}
	if !a.lines {
		return &ArmorError{"no line between the first and the last"}
	}
	err := a.blank()
	if err == nil {
		return &ArmorError{"something follows the last line"}
	}
	return err
}

// blank passes over spaces, tabs and ends of lines, and fails with io.EOF at
// the end of the text.
func (a *armorReader) blank() error {
	for {
		c, err := a.src.ReadByte()
		if err != nil {
			return err
		}
		switch c {
		case ' ', '\t', '\n':
		case '\r':
			c, err = a.src.ReadByte()
			if err != nil && err != io.EOF {
				return err
			}
			if c != '\n' || err != nil {
				return &ArmorError{"a carriage return that ends no line"}
			}
		default:
			return a.src.UnreadByte()
		}
	}
}

// expect reads exactly this text.
func (a *armorReader) expect(text string) error {
	for i := range len(text) {
		c, err := a.src.ReadByte()
		if err != nil {
			return armorCut(err)
		}
		if c != text[i] {
			return &ArmorError{"no line " + text}
		}
	}
	return nil
}

// armorCut is the error where the source ends within the armour.
func armorCut(err error) error {
	if err == io.EOF {
		return &ArmorError{"the text ends within it"}
	}
	return err
}

// NewArmorWriter returns a writer that writes a file to dst as ASCII armour.
// Close writes the last line, and does not close dst.
func NewArmorWriter(dst io.Writer) io.WriteCloser {
	return &armorWriter{dst: dst}
}

type armorWriter struct {
	dst  io.Writer
	line [armorLine]byte
	used int
	out  []byte
	done bool // the first line was written
	err  error
}

func (a *armorWriter) Write(b []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	total := len(b)
	for len(b) > 0 {
		a.begin()
		n := copy(a.line[a.used:], b)
		a.used += n
		b = b[n:]
		if a.used == armorLine {
			a.flushLine()
		}
		if len(a.out) > 32<<10 {
			if err := a.flush(); err != nil {
				return total - len(b), err
			}
		}
	}
	return total, nil
}

func (a *armorWriter) begin() {
	if !a.done {
		a.out = append(a.out, armorBegin+"\n"...)
		a.done = true
	}
}

func (a *armorWriter) flushLine() {
	a.out = append(armorBase64.AppendEncode(a.out, a.line[:a.used]), '\n')
	a.used = 0
}

func (a *armorWriter) flush() error {
	_, err := writeAll(a.dst, a.out)
	a.out = a.out[:0]
	a.err = err
	return err
}

func (a *armorWriter) Close() error {
	if a.err != nil {
		return a.err
	}
	if !a.done {
		return errors.New("polyseal: nothing to armour")
	}
	if a.used > 0 {
		a.flushLine()
	}
	a.out = append(a.out, armorEnd+"\n"...)
	if err := a.flush(); err != nil {
		return err
	}
	a.err = errClosed
	return nil
}
