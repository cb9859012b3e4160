package text

// KeepSmall empties a buffer for its next use, and releases one that a huge text enlarged.
func KeepSmall(buf []byte) []byte {
	const limit = 1 << 16 // bytes
	if cap(buf) > limit {
		return nil
	}
	return buf[:0]
}
