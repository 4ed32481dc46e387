package aegis

// AEGIS without instructions for AES, in constant time: and, exclusive or and
// shifts by constants. Source: FIPS 197. The S-box is the circuit of Boyar and
// Peralta of 113 gates ("A new combinational logic minimization technique with
// applications to cryptology", SEA 2010), as in the library's planes.rs.
//
// Four blocks are computed at a time, in eight bit planes of 64 bits. Word k
// holds columns 0 and 1 of block k, word 4 + k columns 2 and 3; byte r of a
// column is row r. After transposing, plane b has bit b of row r of column c of
// block k at 32*(c%2) + 8*r + 4*(c/2) + k.

import "math/bits"

// portable does o with whole chunks of the rate.
func (v Variant) portable(o op, s *state, dst, src []byte) {
	var z [8]block
	rate, lanes := v.rate(), v.lanes
	for ; len(src) > 0; src = src[rate:] {
		if o != absorb {
			for i := range lanes {
				at := func(j int) block { return s[j*lanes+i] }
				if v.wide() {
					z[i] = at(1).xor(at(4)).xor(at(5)).xor(at(2).and(at(3)))
				} else {
					z[i] = at(6).xor(at(1)).xor(at(2).and(at(3)))
					z[lanes+i] = at(2).xor(at(5)).xor(at(6).and(at(7)))
				}
			}
		}
		s.rounds(v.rows*lanes, lanes)
		for i := range rate / 16 {
			in := load(src[16*i:])
			out := in.xor(z[i])
			if o != absorb {
				out.store(dst[16*i:])
			}
			if o == decrypt {
				in = out
			}
			// AEGIS-128 adds the second half of its chunk to row 4.
			row := i / lanes * 4
			b := &s[row*lanes+i%lanes]
			*b = b.xor(in)
		}
		if o != absorb {
			dst = dst[rate:]
		}
	}
	clear(z[:])
}

// rounds replaces each of n blocks by a round of AES of the block that is d
// before it, with itself as the key.
func (s *state) rounds(n, d int) {
	var next state
	var q [8]uint64
	for b := 0; b < n; b += 4 {
		// Blocks from n on, if n is 6, count for nothing.
		for k := range 4 {
			from := b + k - d
			if from < 0 {
				from += n
			}
			q[k], q[4+k] = s[from][0], s[from][1]
		}
		transpose(&q)
		subBytes(&q)
		linear(&q)
		transpose(&q)
		for k := range 4 {
			key := &s[b+k]
			next[b+k] = block{q[k] ^ key[0] ^ constant, q[4+k] ^ key[1] ^ constant}
		}
	}
	copy(s[:n], next[:n])
}

// constant is that of the S-box, in each byte. MixColumns leaves it as it is.
const constant = 0x6363636363636363

// transpose exchanges words and bits of each byte. It is its own inverse.
func transpose(q *[8]uint64) {
	a, b, c, d, e, f, g, h := q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]
	const ones, twos, fours = 0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f
	a, b = exchange(a, b, 1, ones)
	c, d = exchange(c, d, 1, ones)
	e, f = exchange(e, f, 1, ones)
	g, h = exchange(g, h, 1, ones)
	a, c = exchange(a, c, 2, twos)
	b, d = exchange(b, d, 2, twos)
	e, g = exchange(e, g, 2, twos)
	f, h = exchange(f, h, 2, twos)
	a, e = exchange(a, e, 4, fours)
	b, f = exchange(b, f, 4, fours)
	c, g = exchange(c, g, 4, fours)
	d, h = exchange(d, h, 4, fours)
	q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7] = a, b, c, d, e, f, g, h
}

// exchange exchanges the bits low << shift of x with the bits low of y.
func exchange(x, y uint64, shift int, low uint64) (uint64, uint64) {
	t := (x>>shift ^ y) & low
	return x ^ t<<shift, y ^ t
}

// linear is ShiftRows and MixColumns.
func linear(q *[8]uint64) {
	// MixColumns makes 2(a + b) + b + (c + d) from the rows a, b, c, d of a
	// column, in this order from each of them on. Here b is next, a + b sum.
	x := shiftRows(q[7])
	next := followingRow(x)
	top := x ^ next
	mixed := next ^ rowAfterNext(top)

	x = shiftRows(q[0])
	next = followingRow(x)
	sum := x ^ next
	q[0] = top ^ next ^ rowAfterNext(sum)
	double := sum ^ top

	x = shiftRows(q[1])
	next = followingRow(x)
	sum = x ^ next
	q[1] = double ^ next ^ rowAfterNext(sum)
	double = sum

	x = shiftRows(q[2])
	next = followingRow(x)
	sum = x ^ next
	q[2] = double ^ next ^ rowAfterNext(sum)
	double = sum ^ top

	x = shiftRows(q[3])
	next = followingRow(x)
	sum = x ^ next
	q[3] = double ^ next ^ rowAfterNext(sum)
	double = sum ^ top

	x = shiftRows(q[4])
	next = followingRow(x)
	sum = x ^ next
	q[4] = double ^ next ^ rowAfterNext(sum)
	double = sum

	x = shiftRows(q[5])
	next = followingRow(x)
	sum = x ^ next
	q[5] = double ^ next ^ rowAfterNext(sum)
	double = sum

	x = shiftRows(q[6])
	next = followingRow(x)
	sum = x ^ next
	q[6] = double ^ next ^ rowAfterNext(sum)
	q[7] = sum ^ mixed
}

// shiftRows takes row r of column c from column c + r: odd rows from the other
// half of the word, and those whose column wraps from the other half of the
// byte.
func shiftRows(x uint64) uint64 {
	x = x&0x00ff00ff00ff00ff | bits.RotateLeft64(x, 32)&0xff00ff00ff00ff00
	t := (x>>4 ^ x) & 0x000f0f000f0f0000
	return x ^ t ^ t<<4
}

func followingRow(x uint64) uint64 {
	return x>>8&0x00ffffff00ffffff | x<<24&0xff000000ff000000
}

func rowAfterNext(x uint64) uint64 {
	return x>>16&0x0000ffff0000ffff | x<<16&0xffff0000ffff0000
}

// subBytes is the S-box but for its constant. The names are those of the
// circuit.
func subBytes(q *[8]uint64) {
	x7, x6, x5, x4, x3, x2, x1, x0 := q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]

	// Top linear transformation.
	y14 := x3 ^ x5
	y13 := x0 ^ x6
	y9 := x0 ^ x3
	y8 := x0 ^ x5
	t0 := x1 ^ x2
	y1 := t0 ^ x7
	y4 := y1 ^ x3
	y12 := y13 ^ y14
	y2 := y1 ^ x0
	y5 := y1 ^ x6
	y3 := y5 ^ y8
	t1 := x4 ^ y12
	y15 := t1 ^ x5
	y20 := t1 ^ x1
	y6 := y15 ^ x7
	y10 := y15 ^ t0
	y11 := y20 ^ y9
	y7 := x7 ^ y11
	y17 := y10 ^ y11
	y19 := y10 ^ y8
	y16 := t0 ^ y11
	y21 := y13 ^ y16
	y18 := x0 ^ y16

	// Middle: inversion in GF(2⁴)².
	t2 := y12 & y15
	t3 := y3 & y6
	t4 := t3 ^ t2
	t5 := y4 & x7
	t6 := t5 ^ t2
	t7 := y13 & y16
	t8 := y5 & y1
	t9 := t8 ^ t7
	t10 := y2 & y7
	t11 := t10 ^ t7
	t12 := y9 & y11
	t13 := y14 & y17
	t14 := t13 ^ t12
	t15 := y8 & y10
	t16 := t15 ^ t12
	t17 := t4 ^ t14
	t18 := t6 ^ t16
	t19 := t9 ^ t14
	t20 := t11 ^ t16
	t21 := t17 ^ y20
	t22 := t18 ^ y19
	t23 := t19 ^ y21
	t24 := t20 ^ y18
	t25 := t21 ^ t22
	t26 := t21 & t23
	t27 := t24 ^ t26
	t28 := t25 & t27
	t29 := t28 ^ t22
	t30 := t23 ^ t24
	t31 := t22 ^ t26
	t32 := t31 & t30
	t33 := t32 ^ t24
	t34 := t23 ^ t33
	t35 := t27 ^ t33
	t36 := t24 & t35
	t37 := t36 ^ t34
	t38 := t27 ^ t36
	t39 := t29 & t38
	t40 := t25 ^ t39
	t41 := t40 ^ t37
	t42 := t29 ^ t33
	t43 := t29 ^ t40
	t44 := t33 ^ t37
	t45 := t42 ^ t41
	z0 := t44 & y15
	z1 := t37 & y6
	z2 := t33 & x7
	z3 := t43 & y16
	z4 := t40 & y1
	z5 := t29 & y7
	z6 := t42 & y11
	z7 := t45 & y17
	z8 := t41 & y10
	z9 := t44 & y12
	z10 := t37 & y3
	z11 := t33 & y4
	z12 := t43 & y13
	z13 := t40 & y5
	z14 := t29 & y2
	z15 := t42 & y9
	z16 := t45 & y14
	z17 := t41 & y8

	// Bottom linear transformation.
	t46 := z15 ^ z16
	t47 := z10 ^ z11
	t48 := z5 ^ z13
	t49 := z9 ^ z10
	t50 := z2 ^ z12
	t51 := z2 ^ z5
	t52 := z7 ^ z8
	t53 := z0 ^ z3
	t54 := z6 ^ z7
	t55 := z16 ^ z17
	t56 := z12 ^ t48
	t57 := t50 ^ t53
	t58 := z4 ^ t46
	t59 := z3 ^ t54
	t60 := t46 ^ t57
	t61 := z14 ^ t57
	t62 := t52 ^ t58
	t63 := t49 ^ t58
	t64 := z4 ^ t59
	t65 := t61 ^ t62
	t66 := z1 ^ t63
	s0 := t59 ^ t63
	s6 := t56 ^ t62
	s7 := t48 ^ t60
	t67 := t64 ^ t65
	s3 := t53 ^ t66
	s4 := t51 ^ t66
	s5 := t47 ^ t65
	s1 := t64 ^ s3
	s2 := t55 ^ t67

	q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7] = s7, s6, s5, s4, s3, s2, s1, s0
}
