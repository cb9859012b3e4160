package scan

import "encoding/binary"

// Words that repeat one byte eight times.
const (
	ones      = 0x0101010101010101
	highs     = 0x80 * ones
	quoteWord = '"' * ones
	slantWord = '\\' * ones
)

// zeros marks the zero bytes of w by their highest bits. It may also mark a byte of value 1 above a zero byte.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }

// allZeros marks exactly the zero bytes of w.
func allZeros(w uint64) uint64 { return ^((w&^highs + ^uint64(highs)) | w | ^uint64(highs)) }

// gather collects the highest bits of the bytes of w in the lowest byte.
func gather(w uint64) uint64 { return w * 0x0002040810204081 >> 56 }

// markWords computes marks by words of eight bytes, for processors without an assembly markBlocks.
func markWords(dst []marks, data []byte) {
	for i := range dst {
		block := (*[blockBytes]byte)(data[i*blockBytes:])
		dst[i] = marks{quotes: markByte(block, quoteWord)}
		if hasByte(block, slantWord) { // usually false between strings
			dst[i].slants = markByte(block, slantWord)
		}
	}
}

// markByte sets a bit for each byte of b that is equal to the byte that word repeats.
func markByte(b *[blockBytes]byte, word uint64) uint64 {
	return gather(allZeros(binary.LittleEndian.Uint64(b[0:])^word)) |
		gather(allZeros(binary.LittleEndian.Uint64(b[8:])^word))<<8 |
		gather(allZeros(binary.LittleEndian.Uint64(b[16:])^word))<<16 |
		gather(allZeros(binary.LittleEndian.Uint64(b[24:])^word))<<24 |
		gather(allZeros(binary.LittleEndian.Uint64(b[32:])^word))<<32 |
		gather(allZeros(binary.LittleEndian.Uint64(b[40:])^word))<<40 |
		gather(allZeros(binary.LittleEndian.Uint64(b[48:])^word))<<48 |
		gather(allZeros(binary.LittleEndian.Uint64(b[56:])^word))<<56
}

// hasByte reports whether b contains the byte that word repeats.
func hasByte(b *[blockBytes]byte, word uint64) bool {
	return zeros(binary.LittleEndian.Uint64(b[0:])^word)|
		zeros(binary.LittleEndian.Uint64(b[8:])^word)|
		zeros(binary.LittleEndian.Uint64(b[16:])^word)|
		zeros(binary.LittleEndian.Uint64(b[24:])^word)|
		zeros(binary.LittleEndian.Uint64(b[32:])^word)|
		zeros(binary.LittleEndian.Uint64(b[40:])^word)|
		zeros(binary.LittleEndian.Uint64(b[48:])^word)|
		zeros(binary.LittleEndian.Uint64(b[56:])^word) != 0
}
