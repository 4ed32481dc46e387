//go:build !purego

package aegis

import "golang.org/x/sys/cpu"

// neon is AESE and AESMC on blocks.
const neon engine = 1

func detect() (engine, map[engine]string) {
	all := map[engine]string{portableEngine: "portable"}
	if !cpu.ARM64.HasAES {
		return portableEngine, all
	}
	all[neon] = "AESE"
	return neon, all
}

// Each does o with n > 0 chunks, in the lanes that begin at v, src and dst; the
// number in its name is how many. row is 16 bytes for each lane of the variant.
//
//go:noescape
func one128(o op, v *block, row int, dst, src *byte, n int)

//go:noescape
func two128(o op, v *block, row int, dst, src *byte, n int)

//go:noescape
func one256(o op, v *block, row int, dst, src *byte, n int)

//go:noescape
func two256(o op, v *block, row int, dst, src *byte, n int)

// assembly lets each lane, or each two, take its blocks of all chunks. Lanes
// meet only in the tag.
func (a *AEAD) assembly(o op, s *state, dst, src []byte) {
	lanes, n := a.lanes, len(src)/a.rate()
	for i := 0; i < lanes; i += 2 {
		v, from := &s[i], &src[16*i]
		to := from
		if o != absorb {
			to = &dst[16*i]
		}
		switch {
		case a.wide() && lanes > 1:
			two256(o, v, 16*lanes, to, from, n)
		case a.wide():
			one256(o, v, 16*lanes, to, from, n)
		case lanes > 1:
			two128(o, v, 16*lanes, to, from, n)
		default:
			one128(o, v, 16*lanes, to, from, n)
		}
	}
}
