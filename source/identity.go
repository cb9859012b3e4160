package source

// headSize is how many bytes of a file's beginning are hashed. Of a shorter file all bytes are, and more as it grows.
const headSize = 1024

// minMoveHead is how many bytes two files must share at their beginning for one to be matched with the other under another
// inode. The shortest line that an agent was seen to write has 60 bytes; two files may well share fewer.
const minMoveHead = 64

// fileID is what the file system calls the file. The zero value is no file: systems without such a number go by path
// and content alone.
type fileID struct {
	device, inode uint64
}

// position is the acknowledged offset of a file and its fingerprint: two hashes, of the file's first bytes (head) and of
// the last bytes before the offset (mark).
type position struct {
	offset  int64  // everything before it was acknowledged
	head    uint64 // hash of the first headLen bytes
	mark    uint64 // hash of the markLen bytes before offset
	headLen uint16
	markLen uint8
	// discard is true if offset is inside of a line that is skipped: [StartAtEnd].
	discard bool
	// ahead is how many bytes from offset on hold no newline. It saves reading a long unfinished line again and again, and
	// is not stored.
	ahead int64
}

// sameHead reports whether a file that begins with these bytes may be the one of the position.
func (p *position) sameHead(head []byte) bool {
	return len(head) >= int(p.headLen) && hash(head[:p.headLen]) == p.head
}

// extend hashes more of the head where there is more.
func (p *position) extend(head []byte) {
	if len(head) > int(p.headLen) {
		p.head, p.headLen = hash(head), uint16(len(head))
	}
}

// move sets the offset; before are the bytes before it.
func (p *position) move(offset int64, before []byte) {
	p.offset, p.ahead, p.discard = offset, 0, false
	p.mark, p.markLen = hash(before), uint8(len(before))
}

// FNV-1a: running, so that one pass over a head gives the hash of each of its beginnings, and the same on every
// machine, so that it can be stored.
const (
	hashStart uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

func hash(b []byte) uint64 {
	h := hashStart
	for _, c := range b {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// headKey is a beginning of a file.
type headKey struct {
	length uint16
	hash   uint64
}

// heads finds files by their beginning.
type heads struct {
	files   map[headKey]*file // first of a chain by file.nextHead
	lengths [headSize + 1]int32
}

func (h *heads) add(f *file) {
	if f.pos.headLen < minMoveHead {
		return
	}
	key := headKey{f.pos.headLen, f.pos.head}
	f.nextHead = h.files[key]
	h.files[key] = f
	h.lengths[key.length]++
}

func (h *heads) remove(f *file) {
	if f.pos.headLen < minMoveHead {
		return
	}
	key := headKey{f.pos.headLen, f.pos.head}
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

// find calls yield for each known file whose head these bytes begin with, the longest heads last, until it says no.
func (h *heads) find(head []byte, yield func(*file) bool) {
	sum := hashStart
	for i, c := range head {
		sum = (sum ^ uint64(c)) * hashPrime
		length := i + 1
		if h.lengths[length] == 0 {
			continue
		}
		for f := h.files[headKey{uint16(length), sum}]; f != nil; f = f.nextHead {
			if !yield(f) {
				return
			}
		}
	}
}
