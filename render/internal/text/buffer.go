package text

// KeepSmall empties a buffer for its next use. It releases a buffer that a large text has enlarged.
func KeepSmall(buf []byte) []byte {
	const limit = 1 << 16 // bytes
	if cap(buf) > limit {
		return nil
	}
	return buf[:0]
}
