//go:build !purego

#include "textflag.h"

// FILL fills a register with equal bytes.
#define FILL(byte, v) \
	MOVD $byte, R3     \
	VDUP R3, v.B16

// FOLD reduces 64 bytes, each all ones or all zeros, to 64 bits in the register r: each byte keeps the bit of its place
// among eight (V20), and neighbours are added until eight bytes are left.
#define FOLD(a, b, c, d, r) \
	VAND  V20.B16, a.B16, a.B16 \
	VAND  V20.B16, b.B16, b.B16 \
	VAND  V20.B16, c.B16, c.B16 \
	VAND  V20.B16, d.B16, d.B16 \
	VADDP b.B16, a.B16, a.B16   \
	VADDP d.B16, c.B16, c.B16   \
	VADDP c.B16, a.B16, a.B16   \
	VADDP a.B16, a.B16, a.B16   \
	VMOV  a.D[0], r

// FIND marks the occurrences of a letter in V0 to V3.
#define FIND(letter, a, b, c, d) \
	VCMEQ letter.B16, V0.B16, a.B16 \
	VCMEQ letter.B16, V1.B16, b.B16 \
	VCMEQ letter.B16, V2.B16, c.B16 \
	VCMEQ letter.B16, V3.B16, d.B16

// JOIN adds the marks of V8 to V11 to those of V12 to V15.
#define JOIN \
	VORR V8.B16, V12.B16, V12.B16  \
	VORR V9.B16, V13.B16, V13.B16  \
	VORR V10.B16, V14.B16, V14.B16 \
	VORR V11.B16, V15.B16, V15.B16

// func markBlocks(dst []marks, data []byte)
TEXT ·markBlocks(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD data_base+24(FP), R2
	CBZ  R1, done
	FILL(0x22, V16)
	FILL(0x5c, V17)
	MOVD $0x8040201008040201, R3
	VDUP R3, V20.D2

block:
	VLD1.P 64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
	FIND(V16, V4, V5, V6, V7)
	FIND(V17, V8, V9, V10, V11)
	FOLD(V4, V5, V6, V7, R4)
	FOLD(V8, V9, V10, V11, R5)
	STP.P  (R4, R5), 16(R0)
	SUB    $1, R1
	CBNZ   R1, block

done:
	RET

// func markLetters(dst []letters, data []byte)
TEXT ·markLetters(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD data_base+24(FP), R2
	CBZ  R1, none
	FILL(0x22, V16) // quote
	FILL(0x5c, V17) // backslash
	FILL(0x6e, V18) // n
	FILL(0x72, V19) // r
	FILL(0x74, V21) // t
	MOVD $0x8040201008040201, R3
	VDUP R3, V20.D2

letters:
	VLD1.P 64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
	FIND(V16, V12, V13, V14, V15)
	FIND(V18, V8, V9, V10, V11)
	JOIN
	FIND(V19, V8, V9, V10, V11)
	JOIN
	FIND(V21, V8, V9, V10, V11)
	JOIN
	FIND(V17, V8, V9, V10, V11)
	JOIN
	FOLD(V8, V9, V10, V11, R4)
	FOLD(V12, V13, V14, V15, R5)
	STP.P  (R4, R5), 16(R0)
	SUB    $1, R1
	CBNZ   R1, letters

none:
	RET
