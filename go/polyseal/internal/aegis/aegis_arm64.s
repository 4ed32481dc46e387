//go:build !purego

#include "textflag.h"

// AEGIS with AESE and AESMC. Source: RFC 10032, the functions Update and Enc,
// Dec and Absorb. Each function below does whole chunks; Go pads the last.
//
// R1 is the state, R2 the bytes from a row to the next and from a half of an
// AEGIS-128 chunk to the other, R3 the destination, R4 the source, R5 the number
// of chunks, R6 and R7 pointers. V28 and V29 are a lane's input, V26 and V27 its
// output, V30 a temporary, V31 zero.

// STEP adds to row a round of the row before it. AESE adds its key first, which
// is zero here.
#define STEP(before, row) \
	VMOV  before.B16, V30.B16; \
	AESE  V31.B16, V30.B16; \
	AESMC V30.B16, V30.B16; \
	VEOR  V30.B16, row.B16, row.B16

// UPDATE goes from the last row to the first. V28 is added to row 0, and V29 to
// row 4 of AEGIS-128. V27 keeps the last row meanwhile.
#define UPDATE128(a, b, c, d, e, f, g, h) \
	VMOV h.B16, V27.B16; \
	STEP(g, h); \
	STEP(f, g); \
	STEP(e, f); \
	STEP(d, e); \
	STEP(c, d); \
	STEP(b, c); \
	STEP(a, b); \
	STEP(V27, a); \
	VEOR V28.B16, a.B16, a.B16; \
	VEOR V29.B16, e.B16, e.B16

#define UPDATE256(a, b, c, d, e, f) \
	VMOV f.B16, V27.B16; \
	STEP(e, f); \
	STEP(d, e); \
	STEP(c, d); \
	STEP(b, c); \
	STEP(a, b); \
	STEP(V27, a); \
	VEOR V28.B16, a.B16, a.B16

// KEYS adds to V28 and V29 what the rows give, and puts the sums in m and n.
#define KEYS128(b, c, d, f, g, h, m, n) \
	VAND c.B16, d.B16, V30.B16; \
	VEOR b.B16, V30.B16, V30.B16; \
	VEOR g.B16, V30.B16, V30.B16; \
	VEOR V28.B16, V30.B16, m.B16; \
	VAND g.B16, h.B16, V30.B16; \
	VEOR c.B16, V30.B16, V30.B16; \
	VEOR f.B16, V30.B16, V30.B16; \
	VEOR V29.B16, V30.B16, n.B16

#define KEYS256(b, c, d, e, f, m) \
	VAND c.B16, d.B16, V30.B16; \
	VEOR b.B16, V30.B16, V30.B16; \
	VEOR e.B16, V30.B16, V30.B16; \
	VEOR f.B16, V30.B16, V30.B16; \
	VEOR V28.B16, V30.B16, m.B16

// LOAD and STORE take the rows of the lane at R6, and move R6 on.
#define LOAD6(a, b, c, d, e, f) \
	VLD1 (R6), [a.B16]; \
	ADD  R2, R6; \
	VLD1 (R6), [b.B16]; \
	ADD  R2, R6; \
	VLD1 (R6), [c.B16]; \
	ADD  R2, R6; \
	VLD1 (R6), [d.B16]; \
	ADD  R2, R6; \
	VLD1 (R6), [e.B16]; \
	ADD  R2, R6; \
	VLD1 (R6), [f.B16]

#define STORE6(a, b, c, d, e, f) \
	VST1 [a.B16], (R6); \
	ADD  R2, R6; \
	VST1 [b.B16], (R6); \
	ADD  R2, R6; \
	VST1 [c.B16], (R6); \
	ADD  R2, R6; \
	VST1 [d.B16], (R6); \
	ADD  R2, R6; \
	VST1 [e.B16], (R6); \
	ADD  R2, R6; \
	VST1 [f.B16], (R6)

#define LOAD8(a, b, c, d, e, f, g, h) \
	LOAD6(a, b, c, d, e, f); \
	ADD  R2, R6; \
	VLD1 (R6), [g.B16]; \
	ADD  R2, R6; \
	VLD1 (R6), [h.B16]

#define STORE8(a, b, c, d, e, f, g, h) \
	STORE6(a, b, c, d, e, f); \
	ADD  R2, R6; \
	VST1 [g.B16], (R6); \
	ADD  R2, R6; \
	VST1 [h.B16], (R6)

// BEGIN takes what a function is given. What it is to do is a label.
#define BEGIN \
	MOVD o+0(FP), R0; \
	MOVD v+8(FP), R1; \
	MOVD row+16(FP), R2; \
	MOVD dst+24(FP), R3; \
	MOVD src+32(FP), R4; \
	MOVD n+40(FP), R5; \
	VEOR V31.B16, V31.B16, V31.B16; \
	MOVD R1, R6

#define CHOOSE \
	CMP  $1, R0; \
	BEQ  encrypt; \
	BGT  decrypt

// IN and OUT are a lane's two halves of a chunk of AEGIS-128; IN2 and OUT2 those
// of the lane after it.
#define IN \
	VLD1 (R4), [V28.B16]; \
	ADD  R2, R4, R7; \
	VLD1 (R7), [V29.B16]

#define IN2 \
	ADD  $16, R4, R7; \
	VLD1 (R7), [V28.B16]; \
	ADD  R2, R4, R7; \
	ADD  $16, R7; \
	VLD1 (R7), [V29.B16]

#define OUT(m, n) \
	VST1 [m.B16], (R3); \
	ADD  R2, R3, R7; \
	VST1 [n.B16], (R7)

#define OUT2(m, n) \
	ADD  $16, R3, R7; \
	VST1 [m.B16], (R7); \
	ADD  R2, R3, R7; \
	ADD  $16, R7; \
	VST1 [n.B16], (R7)

// AGAIN goes to the next chunk of so many bytes.
#define AGAIN(bytes, label) \
	ADD  bytes, R4; \
	SUB  $1, R5; \
	CBNZ R5, label

#define AGAIN_OUT(bytes, label) \
	ADD  bytes, R4; \
	ADD  bytes, R3; \
	SUB  $1, R5; \
	CBNZ R5, label

// func one128(o op, v *block, row int, dst, src *byte, n int)
TEXT ·one128(SB), NOSPLIT, $0-48
	BEGIN
	LOAD8(V0, V1, V2, V3, V4, V5, V6, V7)
	CHOOSE

absorb:
	IN
	UPDATE128(V0, V1, V2, V3, V4, V5, V6, V7)
	AGAIN(R2<<1, absorb)
	B    done

encrypt:
	IN
	KEYS128(V1, V2, V3, V5, V6, V7, V26, V27)
	OUT(V26, V27)
	UPDATE128(V0, V1, V2, V3, V4, V5, V6, V7)
	AGAIN_OUT(R2<<1, encrypt)
	B    done

decrypt:
	IN
	KEYS128(V1, V2, V3, V5, V6, V7, V28, V29)
	OUT(V28, V29)
	UPDATE128(V0, V1, V2, V3, V4, V5, V6, V7)
	AGAIN_OUT(R2<<1, decrypt)

done:
	MOVD R1, R6
	STORE8(V0, V1, V2, V3, V4, V5, V6, V7)
	RET

// func two128(o op, v *block, row int, dst, src *byte, n int)
TEXT ·two128(SB), NOSPLIT, $0-48
	BEGIN
	LOAD8(V0, V1, V2, V3, V4, V5, V6, V7)
	ADD  $16, R1, R6
	LOAD8(V8, V9, V10, V11, V12, V13, V14, V15)
	CHOOSE

absorb:
	IN
	UPDATE128(V0, V1, V2, V3, V4, V5, V6, V7)
	IN2
	UPDATE128(V8, V9, V10, V11, V12, V13, V14, V15)
	AGAIN(R2<<1, absorb)
	B    done

encrypt:
	IN
	KEYS128(V1, V2, V3, V5, V6, V7, V26, V27)
	OUT(V26, V27)
	UPDATE128(V0, V1, V2, V3, V4, V5, V6, V7)
	IN2
	KEYS128(V9, V10, V11, V13, V14, V15, V26, V27)
	OUT2(V26, V27)
	UPDATE128(V8, V9, V10, V11, V12, V13, V14, V15)
	AGAIN_OUT(R2<<1, encrypt)
	B    done

decrypt:
	IN
	KEYS128(V1, V2, V3, V5, V6, V7, V28, V29)
	OUT(V28, V29)
	UPDATE128(V0, V1, V2, V3, V4, V5, V6, V7)
	IN2
	KEYS128(V9, V10, V11, V13, V14, V15, V28, V29)
	OUT2(V28, V29)
	UPDATE128(V8, V9, V10, V11, V12, V13, V14, V15)
	AGAIN_OUT(R2<<1, decrypt)

done:
	MOVD R1, R6
	STORE8(V0, V1, V2, V3, V4, V5, V6, V7)
	ADD  $16, R1, R6
	STORE8(V8, V9, V10, V11, V12, V13, V14, V15)
	RET

// func one256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·one256(SB), NOSPLIT, $0-48
	BEGIN
	LOAD6(V0, V1, V2, V3, V4, V5)
	CHOOSE

absorb:
	VLD1 (R4), [V28.B16]
	UPDATE256(V0, V1, V2, V3, V4, V5)
	AGAIN(R2, absorb)
	B    done

encrypt:
	VLD1 (R4), [V28.B16]
	KEYS256(V1, V2, V3, V4, V5, V26)
	VST1 [V26.B16], (R3)
	UPDATE256(V0, V1, V2, V3, V4, V5)
	AGAIN_OUT(R2, encrypt)
	B    done

decrypt:
	VLD1 (R4), [V28.B16]
	KEYS256(V1, V2, V3, V4, V5, V28)
	VST1 [V28.B16], (R3)
	UPDATE256(V0, V1, V2, V3, V4, V5)
	AGAIN_OUT(R2, decrypt)

done:
	MOVD R1, R6
	STORE6(V0, V1, V2, V3, V4, V5)
	RET

// func two256(o op, v *block, row int, dst, src *byte, n int)
TEXT ·two256(SB), NOSPLIT, $0-48
	BEGIN
	LOAD6(V0, V1, V2, V3, V4, V5)
	ADD  $16, R1, R6
	LOAD6(V6, V7, V8, V9, V10, V11)
	CHOOSE

absorb:
	VLD1 (R4), [V28.B16]
	UPDATE256(V0, V1, V2, V3, V4, V5)
	ADD  $16, R4, R7
	VLD1 (R7), [V28.B16]
	UPDATE256(V6, V7, V8, V9, V10, V11)
	AGAIN(R2, absorb)
	B    done

encrypt:
	VLD1 (R4), [V28.B16]
	KEYS256(V1, V2, V3, V4, V5, V26)
	VST1 [V26.B16], (R3)
	UPDATE256(V0, V1, V2, V3, V4, V5)
	ADD  $16, R4, R7
	VLD1 (R7), [V28.B16]
	KEYS256(V7, V8, V9, V10, V11, V26)
	ADD  $16, R3, R7
	VST1 [V26.B16], (R7)
	UPDATE256(V6, V7, V8, V9, V10, V11)
	AGAIN_OUT(R2, encrypt)
	B    done

decrypt:
	VLD1 (R4), [V28.B16]
	KEYS256(V1, V2, V3, V4, V5, V28)
	VST1 [V28.B16], (R3)
	UPDATE256(V0, V1, V2, V3, V4, V5)
	ADD  $16, R4, R7
	VLD1 (R7), [V28.B16]
	KEYS256(V7, V8, V9, V10, V11, V28)
	ADD  $16, R3, R7
	VST1 [V28.B16], (R7)
	UPDATE256(V6, V7, V8, V9, V10, V11)
	AGAIN_OUT(R2, decrypt)

done:
	MOVD R1, R6
	STORE6(V0, V1, V2, V3, V4, V5)
	ADD  $16, R1, R6
	STORE6(V6, V7, V8, V9, V10, V11)
	RET
