package polyseal

// Sources and destinations at their edges.

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// takesLess takes only some bytes of its nth write, and says nothing of it.
type takesLess struct {
	bytes.Buffer
	nth int
}

func (w *takesLess) Write(b []byte) (int, error) {
	w.nth--
	if w.nth == 0 {
		b = b[:len(b)/2]
	}
	return w.Buffer.Write(b)
}

func TestShortWritesAreErrors(t *testing.T) {
	key, plaintext := GenerateKey(), pattern(200_000)
	write := func(dst io.Writer, o *WriteOptions) error {
		w, err := NewWriter(dst, o, key)
		if err != nil {
			return err
		}
		if _, err = w.Write(plaintext); err != nil {
			return err
		}
		return w.Close()
	}
	detached := func(dst io.Writer) error { return write(new(bytes.Buffer), &WriteOptions{Header: dst}) }
	file := seal(t, plaintext, nil, key)
	for name, to := range map[string]func(io.Writer) error{
		"a file":            func(dst io.Writer) error { return write(dst, &WriteOptions{Goroutines: 1}) },
		"a detached header": detached,
		"armour": func(dst io.Writer) error {
			a := NewArmorWriter(dst)
			if err := write(a, nil); err != nil {
				return err
			}
			return a.Close()
		},
		"what is read": func(dst io.Writer) error {
			r, err := NewReader(bytes.NewReader(file), nil, key)
			if err != nil {
				return err
			}
			_, err = r.WriteTo(dst)
			return err
		},
	} {
		for nth := 1; ; nth++ {
			dst := &takesLess{nth: nth}
			err := to(dst)
			if dst.nth > 0 {
				if err != nil || nth == 1 {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			if !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%s: write %d was short: %v", name, nth, err)
			}
		}
	}
}

// atEdges is a source that says io.EOF with its last bytes, or gives too few
// and says nothing.
type atEdges struct {
	file []byte
	less bool
}

func (r atEdges) ReadAt(b []byte, off int64) (int, error) {
	n := copy(b, r.file[off:])
	if r.less && n > 1 {
		return n - 1, nil
	}
	if int(off)+n == len(r.file) {
		return n, io.EOF
	}
	return n, nil
}

func TestSourcesAtTheirEdges(t *testing.T) {
	key := GenerateKey()
	for _, size := range []int{0, 1, 4095, 4096, 4097, 100_000} {
		plaintext := pattern(size)
		file := seal(t, plaintext, &WriteOptions{SegmentSize: 4096}, key)
		f, err := Open(atEdges{file: file}, int64(len(file)), nil, key)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(f.Section(0, f.Size()), plaintext); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		if err := iotest.TestReader(f.NewReader(), plaintext); err != nil {
			t.Errorf("%d bytes, in one go: %v", size, err)
		}
		b := make([]byte, size+1)
		if n, err := f.ReadAt(b, 0); n != size || err != io.EOF || !bytes.Equal(b[:n], plaintext) {
			t.Errorf("%d bytes and one more: %d, %v", size, n, err)
		}
		if n, err := f.ReadAt(b[:1], int64(size)); n != 0 || err != io.EOF {
			t.Errorf("behind %d bytes: %d, %v", size, n, err)
		}
		header, err := ReadHeader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		payload := file[header.Size():]
		source := atEdges{payload, true}
		if _, err := Open(source, int64(len(payload)), &ReadOptions{Header: header}, key); err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes, too few: %v", size, err)
		}
	}
}

// ends has the beginning and the end of a file, and nothing between.
type ends struct {
	begin, end []byte
	size       int64
}

var errNothingThere = errors.New("nothing is there")

func (s ends) ReadAt(b []byte, off int64) (int, error) {
	if off < int64(len(s.begin)) {
		return copy(b, s.begin[off:]), nil
	}
	if start := s.size - int64(len(s.end)); off >= start {
		return copy(b, s.end[off-start:]), nil
	}
	return 0, errNothingThere
}

func TestManifestOf256MiB(t *testing.T) {
	key := GenerateKey()
	fileKey := make([]byte, fileKeyLength)
	header, p, err := newHeader(&WriteOptions{Context: manifestContext(3, nil)}, fileKey, []Recipient{key})
	if err != nil {
		t.Fatal(err)
	}
	// The last segment has one byte, or all.
	for length, want := range map[int]error{p.segment: errNothingThere, 1: &ManifestError{reasonTooLong}} {
		number := uint64(manifestMaximum/p.segment) - 1
		if length == 1 {
			number++
		}
		last := make([]byte, length+p.tag)
		p.seal(new(nonce), last, length, number, true)
		size := int64(len(header)) + int64(number)*int64(p.stored()) + int64(len(last))
		_, err := OpenManifest(ends{header, last, size}, size, nil, key)
		if err == nil || err.Error() != want.Error() {
			t.Errorf("a last segment of %d bytes: %v, not %v", length, err, want)
		}
	}
}
