//go:build !purego

#include "textflag.h"

// AEGIS with AESENC and VAESENC. Source: RFC 10032, the functions Update and
// Enc, Dec and Absorb. Each function below does whole chunks; Go pads the last.
//
// AX is the state, BX the bytes from a row to the next and from a half of an
// AEGIS-128 chunk to the other, CX the number of chunks, SI the source, DI the
// destination, DX a pointer into the state. A row's block is one register; in
// those of VAES it is the blocks of two lanes.

// AESENC replaces what it encrypts, so that row j becomes row j + 1, and then
// the rows change places. m is added to row 0, n to row 4.
#define UPDATE128(a, b, c, d, e, f, g, h, m, n, t) \
	MOVO a, t; \
	PXOR m, t; \
	AESENC b, a; \
	AESENC c, b; \
	AESENC d, c; \
	AESENC e, d; \
	PXOR n, d; \
	AESENC f, e; \
	AESENC g, f; \
	AESENC h, g; \
	AESENC t, h; \
	MOVO h, t; \
	MOVO g, h; \
	MOVO f, g; \
	MOVO e, f; \
	MOVO d, e; \
	MOVO c, d; \
	MOVO b, c; \
	MOVO a, b; \
	MOVO t, a

#define UPDATE256(a, b, c, d, e, f, m, t) \
	MOVO a, t; \
	PXOR m, t; \
	AESENC b, a; \
	AESENC c, b; \
	AESENC d, c; \
	AESENC e, d; \
	AESENC f, e; \
	AESENC t, f; \
	MOVO f, t; \
	MOVO e, f; \
	MOVO d, e; \
	MOVO c, d; \
	MOVO b, c; \
	MOVO a, b; \
	MOVO t, a

// VUPDATE128 and VUPDATE256 are the same, from the last row to the first.
#define VUPDATE128(a, b, c, d, e, f, g, h, m, n, t) \
	VMOVDQA h, t; \
	VAESENC h, g, h; \
	VAESENC g, f, g; \
	VAESENC f, e, f; \
	VPXOR n, e, e; \
	VAESENC e, d, e; \
	VAESENC d, c, d; \
	VAESENC c, b, c; \
	VAESENC b, a, b; \
	VPXOR m, a, a; \
	VAESENC a, t, a

#define VUPDATE256(a, b, c, d, e, f, m, t) \
	VMOVDQA f, t; \
	VAESENC f, e, f; \
	VAESENC e, d, e; \
	VAESENC d, c, d; \
	VAESENC c, b, c; \
	VAESENC b, a, b; \
	VPXOR m, a, a; \
	VAESENC a, t, a

// KEYS adds to m and n what the rows give.
#define KEYS128(b, c, d, f, g, h, m, n, t) \
	MOVO c, t; \
	PAND d, t; \
	PXOR b, t; \
	PXOR g, t; \
	PXOR t, m; \
	MOVO g, t; \
	PAND h, t; \
	PXOR c, t; \
	PXOR f, t; \
	PXOR t, n

#define KEYS256(b, c, d, e, f, m, t) \
	MOVO c, t; \
	PAND d, t; \
	PXOR b, t; \
	PXOR e, t; \
	PXOR f, t; \
	PXOR t, m

#define VKEYS128(b, c, d, f, g, h, m, n, t) \
	VPAND c, d, t; \
	VPXOR b, t, t; \
	VPXOR g, t, t; \
	VPXOR t, m, m; \
	VPAND g, h, t; \
	VPXOR c, t, t; \
	VPXOR f, t, t; \
	VPXOR t, n, n

#define VKEYS256(b, c, d, e, f, m, t) \
	VPAND c, d, t; \
	VPXOR b, t, t; \
	VPXOR e, t, t; \
	VPXOR f, t, t; \
	VPXOR t, m, m

// LOAD and STORE take the rows of a lane at AX + at, or of two.
#define LOAD6(mov, at, a, b, c, d, e, f) \
	LEAQ at(AX), DX; \
	mov (DX), a; \
	ADDQ BX, DX; \
	mov (DX), b; \
	ADDQ BX, DX; \
	mov (DX), c; \
	ADDQ BX, DX; \
	mov (DX), d; \
	ADDQ BX, DX; \
	mov (DX), e; \
	ADDQ BX, DX; \
	mov (DX), f

#define LOAD8(mov, at, a, b, c, d, e, f, g, h) \
	LOAD6(mov, at, a, b, c, d, e, f); \
	ADDQ BX, DX; \
	mov (DX), g; \
	ADDQ BX, DX; \
	mov (DX), h

#define STORE6(mov, at, a, b, c, d, e, f) \
	LEAQ at(AX), DX; \
	mov a, (DX); \
	ADDQ BX, DX; \
	mov b, (DX); \
	ADDQ BX, DX; \
	mov c, (DX); \
	ADDQ BX, DX; \
	mov d, (DX); \
	ADDQ BX, DX; \
	mov e, (DX); \
	ADDQ BX, DX; \
	mov f, (DX)

#define STORE8(mov, at, a, b, c, d, e, f, g, h) \
	STORE6(mov, at, a, b, c, d, e, f); \
	ADDQ BX, DX; \
	mov g, (DX); \
	ADDQ BX, DX; \
	mov h, (DX)

// BEGIN takes what a function is given. What it is to do is a label.
#define BEGIN \
	MOVQ o+0(FP), R8; \
	MOVQ v+8(FP), AX; \
	MOVQ row+16(FP), BX; \
	MOVQ dst+24(FP), DI; \
	MOVQ src+32(FP), SI; \
	MOVQ n+40(FP), CX

#define CHOOSE \
	CMPQ R8, $1; \
	JEQ encrypt; \
	JGT decrypt

// AGAIN goes to the next chunk. A chunk has that many times BX bytes.
#define AGAIN(times, label) \
	LEAQ (SI)(BX*times), SI; \
	DECQ CX; \
	JNE label

#define AGAIN_DI(times, label) \
	LEAQ (SI)(BX*times), SI; \
	LEAQ (DI)(BX*times), DI; \
	DECQ CX; \
	JNE label

// ALL128, ALL256 and TWICE256 are whole functions: a lane, or two of them, of
// one block or two. mov moves from and to memory, copy between registers.
#define ALL128(mov, copy, update, keys, a, b, c, d, e, f, g, h, m, n, o, p, t) \
	BEGIN; \
	LOAD8(mov, 0, a, b, c, d, e, f, g, h); \
	CHOOSE; \
absorb: \
	mov (SI), m; \
	mov (SI)(BX*1), n; \
	update(a, b, c, d, e, f, g, h, m, n, t); \
	AGAIN(2, absorb); \
	JMP done; \
encrypt: \
	mov (SI), m; \
	mov (SI)(BX*1), n; \
	copy m, o; \
	copy n, p; \
	keys(b, c, d, f, g, h, o, p, t); \
	mov o, (DI); \
	mov p, (DI)(BX*1); \
	update(a, b, c, d, e, f, g, h, m, n, t); \
	AGAIN_DI(2, encrypt); \
	JMP done; \
decrypt: \
	mov (SI), m; \
	mov (SI)(BX*1), n; \
	keys(b, c, d, f, g, h, m, n, t); \
	mov m, (DI); \
	mov n, (DI)(BX*1); \
	update(a, b, c, d, e, f, g, h, m, n, t); \
	AGAIN_DI(2, decrypt); \
done: \
	STORE8(mov, 0, a, b, c, d, e, f, g, h)

// ABSORB, ENCRYPT and DECRYPT are a block of AEGIS-256 at that place of a chunk.
#define ABSORB(mov, update, at, a, b, c, d, e, f, m, t) \
	mov at(SI), m; \
	update(a, b, c, d, e, f, m, t)

#define ENCRYPT(mov, copy, update, keys, at, a, b, c, d, e, f, m, o, t) \
	mov at(SI), m; \
	copy m, o; \
	keys(b, c, d, e, f, o, t); \
	mov o, at(DI); \
	update(a, b, c, d, e, f, m, t)

#define DECRYPT(mov, update, keys, at, a, b, c, d, e, f, m, t) \
	mov at(SI), m; \
	keys(b, c, d, e, f, m, t); \
	mov m, at(DI); \
	update(a, b, c, d, e, f, m, t)

#define ALL256(mov, copy, update, keys, a, b, c, d, e, f, m, o, t) \
	BEGIN; \
	LOAD6(mov, 0, a, b, c, d, e, f); \
	CHOOSE; \
absorb: \
	ABSORB(mov, update, 0, a, b, c, d, e, f, m, t); \
	AGAIN(1, absorb); \
	JMP done; \
encrypt: \
	ENCRYPT(mov, copy, update, keys, 0, a, b, c, d, e, f, m, o, t); \
	AGAIN_DI(1, encrypt); \
	JMP done; \
decrypt: \
	DECRYPT(mov, update, keys, 0, a, b, c, d, e, f, m, t); \
	AGAIN_DI(1, decrypt); \
done: \
	STORE6(mov, 0, a, b, c, d, e, f)

#define TWICE256(mov, copy, update, keys, at, a, b, c, d, e, f, g, h, i, j, k, l, m, o, t) \
	BEGIN; \
	LOAD6(mov, 0, a, b, c, d, e, f); \
	LOAD6(mov, at, g, h, i, j, k, l); \
	CHOOSE; \
absorb: \
	ABSORB(mov, update, 0, a, b, c, d, e, f, m, t); \
	ABSORB(mov, update, at, g, h, i, j, k, l, m, t); \
	AGAIN(1, absorb); \
	JMP done; \
encrypt: \
	ENCRYPT(mov, copy, update, keys, 0, a, b, c, d, e, f, m, o, t); \
	ENCRYPT(mov, copy, update, keys, at, g, h, i, j, k, l, m, o, t); \
	AGAIN_DI(1, encrypt); \
	JMP done; \
decrypt: \
	DECRYPT(mov, update, keys, 0, a, b, c, d, e, f, m, t); \
	DECRYPT(mov, update, keys, at, g, h, i, j, k, l, m, t); \
	AGAIN_DI(1, decrypt); \
done: \
	STORE6(mov, 0, a, b, c, d, e, f); \
	STORE6(mov, at, g, h, i, j, k, l)

// func one128(o op, v *block, row int, dst, src *byte, n int)
TEXT ·one128(SB), NOSPLIT, $0-48
	ALL128(MOVOU, MOVO, UPDATE128, KEYS128, X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12)
	RET

// func one256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·one256(SB), NOSPLIT, $0-48
	ALL256(MOVOU, MOVO, UPDATE256, KEYS256, X0, X1, X2, X3, X4, X5, X12, X13, X14)
	RET

// func two256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·two256(SB), NOSPLIT, $0-48
	TWICE256(MOVOU, MOVO, UPDATE256, KEYS256, 16, X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14)
	RET

// func pair128(o op, v *block, row int, dst, src *byte, n int)
TEXT ·pair128(SB), NOSPLIT, $0-48
	ALL128(VMOVDQU, VMOVDQA, VUPDATE128, VKEYS128, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12)
	VZEROUPPER
	RET

// func pair256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·pair256(SB), NOSPLIT, $0-48
	ALL256(VMOVDQU, VMOVDQA, VUPDATE256, VKEYS256, Y0, Y1, Y2, Y3, Y4, Y5, Y12, Y13, Y14)
	VZEROUPPER
	RET

// func pairs256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·pairs256(SB), NOSPLIT, $0-48
	TWICE256(VMOVDQU, VMOVDQA, VUPDATE256, VKEYS256, 32, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14)
	VZEROUPPER
	RET

// func hasVAES() bool
TEXT ·hasVAES(SB), NOSPLIT, $0-1
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JLT  without
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $9, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET

without:
	MOVB $0, ret+0(FP)
	RET
