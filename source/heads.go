package source

import "github.com/tailspan/tailspan/source/internal/fingerprint"

// headKey is a beginning of a file.
type headKey struct {
	length uint16
	hash   uint64
}

// heads finds files by their beginning.
type heads struct {
	files   map[headKey]*file // first of a chain by file.nextHead
	lengths [fingerprint.HeadSize + 1]int32
}

func (h *heads) add(f *file) {
	if f.pos.HeadLen < fingerprint.MinMatch {
		return
	}
	key := headKey{f.pos.HeadLen, f.pos.Head}
	f.nextHead = h.files[key]
	h.files[key] = f
	h.lengths[key.length]++
}

func (h *heads) remove(f *file) {
	if f.pos.HeadLen < fingerprint.MinMatch {
		return
	}
	key := headKey{f.pos.HeadLen, f.pos.Head}
	if h.files[key] == f {
		if f.nextHead == nil {
			delete(h.files, key)
		} else {
			h.files[key] = f.nextHead
		}
	} else {
		before := h.files[key]
		for before != nil && before.nextHead != f {
			before = before.nextHead
		}
		if before == nil {
			return
		}
		before.nextHead = f.nextHead
	}
	f.nextHead = nil
	h.lengths[key.length]--
}

// find calls yield for each known file whose head these bytes begin with, the longest heads last, until it returns false.
func (h *heads) find(head []byte, yield func(*file) bool) {
	fingerprint.Beginnings(head, func(length int, hash uint64) bool {
		if h.lengths[length] == 0 {
			return true
		}
		for f := h.files[headKey{uint16(length), hash}]; f != nil; f = f.nextHead {
			if !yield(f) {
				return false
			}
		}
		return true
	})
}
