//go:build !purego

package aegis

import "golang.org/x/sys/cpu"

// AESENC on blocks, or VAESENC on pairs of them.
const (
	aesni engine = 1 + iota
	vaes
)

func detect() (engine, map[engine]string) {
	fastest, all := portableEngine, map[engine]string{portableEngine: "portable"}
	if cpu.X86.HasAES {
		fastest = aesni
		all[aesni] = "AES-NI"
		if cpu.X86.HasAVX2 && hasVAES() {
			fastest = vaes
			all[vaes] = "VAES"
		}
	}
	return fastest, all
}

// hasVAES says whether the processor has VAESENC. That the system keeps the
// registers is in HasAVX2. The package cpu looks for it only beside AVX-512.
func hasVAES() bool

// Each does o with n > 0 chunks, in the lanes that begin at v, src and dst; the
// number in its name is how many. row is 16 bytes for each lane of the variant.
//
//go:noescape
func one128(o op, v *block, row int, dst, src *byte, n int)

//go:noescape
func one256(o op, v *block, row int, dst, src *byte, n int)

//go:noescape
func two256(o op, v *block, row int, dst, src *byte, n int)

//go:noescape
func pair128(o op, v *block, row int, dst, src *byte, n int)

//go:noescape
func pair256(o op, v *block, row int, dst, src *byte, n int)

//go:noescape
func pairs256(o op, v *block, row int, dst, src *byte, n int)

// assembly lets each lane, or each group of lanes that the registers hold, take
// its blocks of all chunks. Lanes meet only in the tag.
func (a *AEAD) assembly(o op, s *state, dst, src []byte) {
	lanes, n := a.lanes, len(src)/a.rate()
	paired := a.engine == vaes && lanes > 1
	step := 1
	switch {
	case paired && a.wide() && lanes == 4:
		step = 4
	case paired || a.wide() && lanes > 1:
		step = 2
	}
	for i := 0; i < lanes; i += step {
		v, from := &s[i], &src[16*i]
		to := from
		if o != absorb {
			to = &dst[16*i]
		}
		switch {
		case !a.wide() && paired:
			pair128(o, v, 16*lanes, to, from, n)
		case !a.wide():
			one128(o, v, 16*lanes, to, from, n)
		case step == 4:
			pairs256(o, v, 16*lanes, to, from, n)
		case paired:
			pair256(o, v, 16*lanes, to, from, n)
		case step == 2:
			two256(o, v, 16*lanes, to, from, n)
		default:
			one256(o, v, 16*lanes, to, from, n)
		}
	}
}
