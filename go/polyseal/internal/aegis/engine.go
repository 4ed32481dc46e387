package aegis

// An engine is a way to compute. Zero is the portable one, which every machine
// has.
type engine int

const portableEngine engine = 0

// best is what this machine computes fastest with, and engines all that it has.
var best, engines = detect()

// chunks does o with whole chunks of the rate, of which there may be none. dst
// is as long as src, but for absorb.
func (a *AEAD) chunks(o op, s *state, dst, src []byte) {
	if len(src) == 0 {
		return
	}
	if a.engine == portableEngine {
		a.portable(o, s, dst, src)
		return
	}
	a.assembly(o, s, dst, src)
}
