//go:build !purego

#include "textflag.h"

// FILL fills a register with eight equal bytes, twice.
#define FILL(bytes, r) \
	MOVQ       $bytes, AX \
	MOVQ       AX, r      \
	PUNPCKLQDQ r, r

// MASK collects the highest bits of the bytes of four registers in AX.
#define MASK(a, b, c, d) \
	PMOVMSKB a, AX  \
	PMOVMSKB b, BX  \
	PMOVMSKB c, R8  \
	PMOVMSKB d, R9  \
	SHLQ     $16, BX \
	SHLQ     $32, R8 \
	SHLQ     $48, R9 \
	ORQ      BX, AX \
	ORQ      R9, R8 \
	ORQ      R8, AX

// func markBlocks(dst []marks, data []byte)
TEXT ·markBlocks(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ data_base+24(FP), SI
	FILL(0x2222222222222222, X8) // quote
	FILL(0x5c5c5c5c5c5c5c5c, X9) // backslash
	TESTQ CX, CX
	JZ   done

block:
	MOVOU   (SI), X0
	MOVOU   16(SI), X1
	MOVOU   32(SI), X2
	MOVOU   48(SI), X3
	MOVO    X0, X4
	MOVO    X1, X5
	MOVO    X2, X6
	MOVO    X3, X7
	PCMPEQB X8, X4
	PCMPEQB X8, X5
	PCMPEQB X8, X6
	PCMPEQB X8, X7
	MASK(X4, X5, X6, X7)
	MOVQ    AX, (DI)
	PCMPEQB X9, X0
	PCMPEQB X9, X1
	PCMPEQB X9, X2
	PCMPEQB X9, X3
	MASK(X0, X1, X2, X3)
	MOVQ    AX, 8(DI)
	ADDQ    $64, SI
	ADDQ    $16, DI
	DECQ    CX
	JNZ     block

done:
	RET

// ADD also marks in X1 the bytes of X0 that equal letter.
#define ADD(letter) \
	MOVO    letter, X2 \
	PCMPEQB X0, X2     \
	POR     X2, X1

// LANE computes the marks of 16 bytes: backslashes in AX, all letters in BX.
#define LANE(offset) \
	MOVOU    offset(SI), X0 \
	MOVO     X9, X1         \
	PCMPEQB  X0, X1         \
	PMOVMSKB X1, AX         \
	ADD(X8)                 \
	ADD(X10)                \
	ADD(X11)                \
	ADD(X12)                \
	PMOVMSKB X1, BX

// JOIN inserts the marks of a lane below those of the later lanes.
#define JOIN \
	SHLQ $16, R8 \
	SHLQ $16, R9 \
	ORQ  AX, R8  \
	ORQ  BX, R9

// func markLetters(dst []letters, data []byte)
TEXT ·markLetters(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ data_base+24(FP), SI
	FILL(0x2222222222222222, X8) // quote
	FILL(0x5c5c5c5c5c5c5c5c, X9) // backslash
	FILL(0x6e6e6e6e6e6e6e6e, X10) // n
	FILL(0x7272727272727272, X11) // r
	FILL(0x7474747474747474, X12) // t
	TESTQ CX, CX
	JZ   none

letters:
	LANE(48)
	MOVQ AX, R8
	MOVQ BX, R9
	LANE(32)
	JOIN
	LANE(16)
	JOIN
	LANE(0)
	JOIN
	MOVQ R8, (DI)
	MOVQ R9, 8(DI)
	ADDQ $64, SI
	ADDQ $16, DI
	DECQ CX
	JNZ  letters

none:
	RET
