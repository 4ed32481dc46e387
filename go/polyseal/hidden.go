package polyseal

// hidden has secret bytes that fmt does not show. The String of a type is not
// enough for that: fmt calls no method of an unexported field. It prints the
// address of a pointer, but with a verb that is not for pointers, such as %s,
// the array, slice or struct behind it. So this is a pointer to a pointer.
type hidden struct{ p **[]byte }

// hide keeps b, and does not copy it.
func hide(b []byte) hidden {
	p := &b
	return hidden{&p}
}

// bytes is nil for the zero value.
func (h hidden) bytes() []byte {
	if h.p == nil {
		return nil
	}
	return **h.p
}

// wipe makes it the zero value, in copies as well: zeros would be a key.
func (h hidden) wipe() {
	clear(h.bytes())
	if h.p != nil {
		**h.p = nil
	}
}
