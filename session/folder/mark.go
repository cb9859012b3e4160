package folder

// Mark recognizes a text, also within another text, without containing it: what is stored for a restart has no content.
type Mark struct {
	Len  int    `json:"len"`
	Hash uint64 `json:"hash"`
}

// markBase is the base of the polynomial, modulo 2^64, that is the hash of a text.
const markBase = 1099511628211

// MarkOf returns the mark of a text.
func MarkOf(text string) Mark {
	m := Mark{Len: len(text)}
	for i := range len(text) {
		m.Hash = m.Hash*markBase + uint64(text[i])
	}
	return m
}

// In reports whether text contains the marked text. An empty text is in none.
func (m Mark) In(text string) bool {
	if m.Len == 0 || m.Len > len(text) {
		return false
	}
	power := uint64(1) // of the byte that leaves
	for range m.Len {
		power *= markBase
	}
	hash := MarkOf(text[:m.Len]).Hash
	for i := m.Len; hash != m.Hash; i++ {
		if i == len(text) {
			return false
		}
		hash = hash*markBase + uint64(text[i]) - power*uint64(text[i-m.Len])
	}
	return true
}
