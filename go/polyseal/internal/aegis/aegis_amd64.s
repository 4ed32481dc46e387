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

// LOAD and STORE take rows a to f, and g and h, at p; they move DX on.
#define LOAD6(at, a, b, c, d, e, f) \
	LEAQ at(AX), DX; \
	MOVOU (DX), a; \
	ADDQ BX, DX; \
	MOVOU (DX), b; \
	ADDQ BX, DX; \
	MOVOU (DX), c; \
	ADDQ BX, DX; \
	MOVOU (DX), d; \
	ADDQ BX, DX; \
	MOVOU (DX), e; \
	ADDQ BX, DX; \
	MOVOU (DX), f

#define STORE6(at, a, b, c, d, e, f) \
	LEAQ at(AX), DX; \
	MOVOU a, (DX); \
	ADDQ BX, DX; \
	MOVOU b, (DX); \
	ADDQ BX, DX; \
	MOVOU c, (DX); \
	ADDQ BX, DX; \
	MOVOU d, (DX); \
	ADDQ BX, DX; \
	MOVOU e, (DX); \
	ADDQ BX, DX; \
	MOVOU f, (DX)

#define LOAD8(at, a, b, c, d, e, f, g, h) \
	LEAQ at(AX), DX; \
	MOVOU (DX), a; \
	ADDQ BX, DX; \
	MOVOU (DX), b; \
	ADDQ BX, DX; \
	MOVOU (DX), c; \
	ADDQ BX, DX; \
	MOVOU (DX), d; \
	ADDQ BX, DX; \
	MOVOU (DX), e; \
	ADDQ BX, DX; \
	MOVOU (DX), f; \
	ADDQ BX, DX; \
	MOVOU (DX), g; \
	ADDQ BX, DX; \
	MOVOU (DX), h

#define STORE8(at, a, b, c, d, e, f, g, h) \
	LEAQ at(AX), DX; \
	MOVOU a, (DX); \
	ADDQ BX, DX; \
	MOVOU b, (DX); \
	ADDQ BX, DX; \
	MOVOU c, (DX); \
	ADDQ BX, DX; \
	MOVOU d, (DX); \
	ADDQ BX, DX; \
	MOVOU e, (DX); \
	ADDQ BX, DX; \
	MOVOU f, (DX); \
	ADDQ BX, DX; \
	MOVOU g, (DX); \
	ADDQ BX, DX; \
	MOVOU h, (DX)

#define VLOAD6(at, a, b, c, d, e, f) \
	LEAQ at(AX), DX; \
	VMOVDQU (DX), a; \
	ADDQ BX, DX; \
	VMOVDQU (DX), b; \
	ADDQ BX, DX; \
	VMOVDQU (DX), c; \
	ADDQ BX, DX; \
	VMOVDQU (DX), d; \
	ADDQ BX, DX; \
	VMOVDQU (DX), e; \
	ADDQ BX, DX; \
	VMOVDQU (DX), f

#define VSTORE6(at, a, b, c, d, e, f) \
	LEAQ at(AX), DX; \
	VMOVDQU a, (DX); \
	ADDQ BX, DX; \
	VMOVDQU b, (DX); \
	ADDQ BX, DX; \
	VMOVDQU c, (DX); \
	ADDQ BX, DX; \
	VMOVDQU d, (DX); \
	ADDQ BX, DX; \
	VMOVDQU e, (DX); \
	ADDQ BX, DX; \
	VMOVDQU f, (DX)

#define VLOAD8(at, a, b, c, d, e, f, g, h) \
	LEAQ at(AX), DX; \
	VMOVDQU (DX), a; \
	ADDQ BX, DX; \
	VMOVDQU (DX), b; \
	ADDQ BX, DX; \
	VMOVDQU (DX), c; \
	ADDQ BX, DX; \
	VMOVDQU (DX), d; \
	ADDQ BX, DX; \
	VMOVDQU (DX), e; \
	ADDQ BX, DX; \
	VMOVDQU (DX), f; \
	ADDQ BX, DX; \
	VMOVDQU (DX), g; \
	ADDQ BX, DX; \
	VMOVDQU (DX), h

#define VSTORE8(at, a, b, c, d, e, f, g, h) \
	LEAQ at(AX), DX; \
	VMOVDQU a, (DX); \
	ADDQ BX, DX; \
	VMOVDQU b, (DX); \
	ADDQ BX, DX; \
	VMOVDQU c, (DX); \
	ADDQ BX, DX; \
	VMOVDQU d, (DX); \
	ADDQ BX, DX; \
	VMOVDQU e, (DX); \
	ADDQ BX, DX; \
	VMOVDQU f, (DX); \
	ADDQ BX, DX; \
	VMOVDQU g, (DX); \
	ADDQ BX, DX; \
	VMOVDQU h, (DX)

// func one128(o op, v *block, row int, dst, src *byte, n int)
TEXT ·one128(SB), NOSPLIT, $0-48
	MOVQ o+0(FP), R8
	MOVQ v+8(FP), AX
	MOVQ row+16(FP), BX
	MOVQ dst+24(FP), DI
	MOVQ src+32(FP), SI
	MOVQ n+40(FP), CX
	LOAD8(0, X0, X1, X2, X3, X4, X5, X6, X7)
	CMPQ R8, $1
	JEQ encrypt
	JGT decrypt

absorb:
	MOVOU (SI), X8
	MOVOU (SI)(BX*1), X9
	UPDATE128(X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X12)
	LEAQ (SI)(BX*2), SI
	DECQ CX
	JNE absorb
	JMP done

encrypt:
	MOVOU (SI), X8
	MOVOU (SI)(BX*1), X9
	MOVO X8, X10
	MOVO X9, X11
	KEYS128(X1, X2, X3, X5, X6, X7, X10, X11, X12)
	MOVOU X10, (DI)
	MOVOU X11, (DI)(BX*1)
	UPDATE128(X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X12)
	LEAQ (SI)(BX*2), SI
	LEAQ (DI)(BX*2), DI
	DECQ CX
	JNE encrypt
	JMP done

decrypt:
	MOVOU (SI), X8
	MOVOU (SI)(BX*1), X9
	KEYS128(X1, X2, X3, X5, X6, X7, X8, X9, X12)
	MOVOU X8, (DI)
	MOVOU X9, (DI)(BX*1)
	UPDATE128(X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X12)
	LEAQ (SI)(BX*2), SI
	LEAQ (DI)(BX*2), DI
	DECQ CX
	JNE decrypt

done:
	STORE8(0, X0, X1, X2, X3, X4, X5, X6, X7)
	RET

// func one256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·one256(SB), NOSPLIT, $0-48
	MOVQ o+0(FP), R8
	MOVQ v+8(FP), AX
	MOVQ row+16(FP), BX
	MOVQ dst+24(FP), DI
	MOVQ src+32(FP), SI
	MOVQ n+40(FP), CX
	LOAD6(0, X0, X1, X2, X3, X4, X5)
	CMPQ R8, $1
	JEQ encrypt
	JGT decrypt

absorb:
	MOVOU (SI), X12
	UPDATE256(X0, X1, X2, X3, X4, X5, X12, X14)
	LEAQ (SI)(BX*1), SI
	DECQ CX
	JNE absorb
	JMP done

encrypt:
	MOVOU (SI), X12
	MOVO X12, X13
	KEYS256(X1, X2, X3, X4, X5, X13, X14)
	MOVOU X13, (DI)
	UPDATE256(X0, X1, X2, X3, X4, X5, X12, X14)
	LEAQ (SI)(BX*1), SI
	LEAQ (DI)(BX*1), DI
	DECQ CX
	JNE encrypt
	JMP done

decrypt:
	MOVOU (SI), X12
	KEYS256(X1, X2, X3, X4, X5, X12, X14)
	MOVOU X12, (DI)
	UPDATE256(X0, X1, X2, X3, X4, X5, X12, X14)
	LEAQ (SI)(BX*1), SI
	LEAQ (DI)(BX*1), DI
	DECQ CX
	JNE decrypt

done:
	STORE6(0, X0, X1, X2, X3, X4, X5)
	RET

// func two256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·two256(SB), NOSPLIT, $0-48
	MOVQ o+0(FP), R8
	MOVQ v+8(FP), AX
	MOVQ row+16(FP), BX
	MOVQ dst+24(FP), DI
	MOVQ src+32(FP), SI
	MOVQ n+40(FP), CX
	LOAD6(0, X0, X1, X2, X3, X4, X5)
	LOAD6(16, X6, X7, X8, X9, X10, X11)
	CMPQ R8, $1
	JEQ encrypt
	JGT decrypt

absorb:
	MOVOU (SI), X12
	UPDATE256(X0, X1, X2, X3, X4, X5, X12, X14)
	MOVOU 16(SI), X12
	UPDATE256(X6, X7, X8, X9, X10, X11, X12, X14)
	LEAQ (SI)(BX*1), SI
	DECQ CX
	JNE absorb
	JMP done

encrypt:
	MOVOU (SI), X12
	MOVO X12, X13
	KEYS256(X1, X2, X3, X4, X5, X13, X14)
	MOVOU X13, (DI)
	UPDATE256(X0, X1, X2, X3, X4, X5, X12, X14)
	MOVOU 16(SI), X12
	MOVO X12, X13
	KEYS256(X7, X8, X9, X10, X11, X13, X14)
	MOVOU X13, 16(DI)
	UPDATE256(X6, X7, X8, X9, X10, X11, X12, X14)
	LEAQ (SI)(BX*1), SI
	LEAQ (DI)(BX*1), DI
	DECQ CX
	JNE encrypt
	JMP done

decrypt:
	MOVOU (SI), X12
	KEYS256(X1, X2, X3, X4, X5, X12, X14)
	MOVOU X12, (DI)
	UPDATE256(X0, X1, X2, X3, X4, X5, X12, X14)
	MOVOU 16(SI), X12
	KEYS256(X7, X8, X9, X10, X11, X12, X14)
	MOVOU X12, 16(DI)
	UPDATE256(X6, X7, X8, X9, X10, X11, X12, X14)
	LEAQ (SI)(BX*1), SI
	LEAQ (DI)(BX*1), DI
	DECQ CX
	JNE decrypt

done:
	STORE6(0, X0, X1, X2, X3, X4, X5)
	STORE6(16, X6, X7, X8, X9, X10, X11)
	RET

// func pair128(o op, v *block, row int, dst, src *byte, n int)
TEXT ·pair128(SB), NOSPLIT, $0-48
	MOVQ o+0(FP), R8
	MOVQ v+8(FP), AX
	MOVQ row+16(FP), BX
	MOVQ dst+24(FP), DI
	MOVQ src+32(FP), SI
	MOVQ n+40(FP), CX
	VLOAD8(0, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	CMPQ R8, $1
	JEQ encrypt
	JGT decrypt

absorb:
	VMOVDQU (SI), Y8
	VMOVDQU (SI)(BX*1), Y9
	VUPDATE128(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y12)
	LEAQ (SI)(BX*2), SI
	DECQ CX
	JNE absorb
	JMP done

encrypt:
	VMOVDQU (SI), Y8
	VMOVDQU (SI)(BX*1), Y9
	VMOVDQA Y8, Y10
	VMOVDQA Y9, Y11
	VKEYS128(Y1, Y2, Y3, Y5, Y6, Y7, Y10, Y11, Y12)
	VMOVDQU Y10, (DI)
	VMOVDQU Y11, (DI)(BX*1)
	VUPDATE128(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y12)
	LEAQ (SI)(BX*2), SI
	LEAQ (DI)(BX*2), DI
	DECQ CX
	JNE encrypt
	JMP done

decrypt:
	VMOVDQU (SI), Y8
	VMOVDQU (SI)(BX*1), Y9
	VKEYS128(Y1, Y2, Y3, Y5, Y6, Y7, Y8, Y9, Y12)
	VMOVDQU Y8, (DI)
	VMOVDQU Y9, (DI)(BX*1)
	VUPDATE128(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y12)
	LEAQ (SI)(BX*2), SI
	LEAQ (DI)(BX*2), DI
	DECQ CX
	JNE decrypt

done:
	VSTORE8(0, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	VZEROUPPER
	RET

// func pair256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·pair256(SB), NOSPLIT, $0-48
	MOVQ o+0(FP), R8
	MOVQ v+8(FP), AX
	MOVQ row+16(FP), BX
	MOVQ dst+24(FP), DI
	MOVQ src+32(FP), SI
	MOVQ n+40(FP), CX
	VLOAD6(0, Y0, Y1, Y2, Y3, Y4, Y5)
	CMPQ R8, $1
	JEQ encrypt
	JGT decrypt

absorb:
	VMOVDQU (SI), Y12
	VUPDATE256(Y0, Y1, Y2, Y3, Y4, Y5, Y12, Y14)
	LEAQ (SI)(BX*1), SI
	DECQ CX
	JNE absorb
	JMP done

encrypt:
	VMOVDQU (SI), Y12
	VMOVDQA Y12, Y13
	VKEYS256(Y1, Y2, Y3, Y4, Y5, Y13, Y14)
	VMOVDQU Y13, (DI)
	VUPDATE256(Y0, Y1, Y2, Y3, Y4, Y5, Y12, Y14)
	LEAQ (SI)(BX*1), SI
	LEAQ (DI)(BX*1), DI
	DECQ CX
	JNE encrypt
	JMP done

decrypt:
	VMOVDQU (SI), Y12
	VKEYS256(Y1, Y2, Y3, Y4, Y5, Y12, Y14)
	VMOVDQU Y12, (DI)
	VUPDATE256(Y0, Y1, Y2, Y3, Y4, Y5, Y12, Y14)
	LEAQ (SI)(BX*1), SI
	LEAQ (DI)(BX*1), DI
	DECQ CX
	JNE decrypt

done:
	VSTORE6(0, Y0, Y1, Y2, Y3, Y4, Y5)
	VZEROUPPER
	RET

// func pairs256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·pairs256(SB), NOSPLIT, $0-48
	MOVQ o+0(FP), R8
	MOVQ v+8(FP), AX
	MOVQ row+16(FP), BX
	MOVQ dst+24(FP), DI
	MOVQ src+32(FP), SI
	MOVQ n+40(FP), CX
	VLOAD6(0, Y0, Y1, Y2, Y3, Y4, Y5)
	VLOAD6(32, Y6, Y7, Y8, Y9, Y10, Y11)
	CMPQ R8, $1
	JEQ encrypt
	JGT decrypt

absorb:
	VMOVDQU (SI), Y12
	VUPDATE256(Y0, Y1, Y2, Y3, Y4, Y5, Y12, Y14)
	VMOVDQU 32(SI), Y12
	VUPDATE256(Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y14)
	LEAQ (SI)(BX*1), SI
	DECQ CX
	JNE absorb
	JMP done

encrypt:
	VMOVDQU (SI), Y12
	VMOVDQA Y12, Y13
	VKEYS256(Y1, Y2, Y3, Y4, Y5, Y13, Y14)
	VMOVDQU Y13, (DI)
	VUPDATE256(Y0, Y1, Y2, Y3, Y4, Y5, Y12, Y14)
	VMOVDQU 32(SI), Y12
	VMOVDQA Y12, Y13
	VKEYS256(Y7, Y8, Y9, Y10, Y11, Y13, Y14)
	VMOVDQU Y13, 32(DI)
	VUPDATE256(Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y14)
	LEAQ (SI)(BX*1), SI
	LEAQ (DI)(BX*1), DI
	DECQ CX
	JNE encrypt
	JMP done

decrypt:
	VMOVDQU (SI), Y12
	VKEYS256(Y1, Y2, Y3, Y4, Y5, Y12, Y14)
	VMOVDQU Y12, (DI)
	VUPDATE256(Y0, Y1, Y2, Y3, Y4, Y5, Y12, Y14)
	VMOVDQU 32(SI), Y12
	VKEYS256(Y7, Y8, Y9, Y10, Y11, Y12, Y14)
	VMOVDQU Y12, 32(DI)
	VUPDATE256(Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y14)
	LEAQ (SI)(BX*1), SI
	LEAQ (DI)(BX*1), DI
	DECQ CX
	JNE decrypt

done:
	VSTORE6(0, Y0, Y1, Y2, Y3, Y4, Y5)
	VSTORE6(32, Y6, Y7, Y8, Y9, Y10, Y11)
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
