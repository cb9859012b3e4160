package fileset

import (
	"container/list"
	"iter"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// index finds files by path, inode and head.
type index struct {
	paths    map[string]*File
	ids      map[fingerprint.FileID]*File // identified files
	heads    heads
	retired  list.List // files in stateRetired, the oldest first
	unlinked map[*File]struct{}
	names    *stream.Names
	scans    uint32 // number of full scans
}

// all yields each file that may have something open.
func (x *index) all() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for _, f := range x.paths {
			if !yield(f) {
				return
			}
		}
		for f := range x.unlinked {
			if !yield(f) {
				return
			}
		}
	}
}

// newFile adds a path.
func (x *index) newFile(path string) *File {
	f := newFile(path)
	f.seen = x.scans
	x.paths[path] = f
	return f
}

// enterID registers a file by inode, if the system has inodes. Another file with that inode is no longer where it was seen.
func (x *index) enterID(f *File) {
	if f.id == (fingerprint.FileID{}) {
		return
	}
	if other := x.ids[f.id]; other != nil && other != f {
		other.presentAt = ""
	}
	x.ids[f.id] = f
}

func (x *index) removeID(f *File) {
	if x.ids[f.id] == f {
		delete(x.ids, f.id)
	}
}

// evict removes a file for good.
func (x *index) evict(f *File) {
	f.indexed.slot = nil
	x.heads.remove(f)
	x.removeID(f)
}

// headKey identifies the beginning of a file.
type headKey struct {
	length uint16
	hash   uint64
}

// heads finds files by their beginning.
type heads struct {
	files   map[headKey]*File // first of a chain linked by indexed.nextHead
	lengths [fingerprint.HeadSize + 1]int32
}

func (h *heads) add(f *File) {
	if f.pos.HeadLen < fingerprint.MinMatch {
		return
	}
	key := headKey{f.pos.HeadLen, f.pos.Head}
	f.indexed.nextHead = h.files[key]
	h.files[key] = f
	h.lengths[key.length]++
}

func (h *heads) remove(f *File) {
	if f.pos.HeadLen < fingerprint.MinMatch {
		return
	}
	key := headKey{f.pos.HeadLen, f.pos.Head}
	if h.files[key] == f {
		if f.indexed.nextHead == nil {
			delete(h.files, key)
		} else {
			h.files[key] = f.indexed.nextHead
		}
	} else {
		before := h.files[key]
		for before != nil && before.indexed.nextHead != f {
			before = before.indexed.nextHead
		}
		if before == nil {
			return
		}
		before.indexed.nextHead = f.indexed.nextHead
	}
	f.indexed.nextHead = nil
	h.lengths[key.length]--
}

// find calls yield for each known file whose head these bytes begin with, the longest heads last, until it returns false.
func (h *heads) find(head []byte, yield func(*File) bool) {
	fingerprint.Beginnings(head, func(length int, hash uint64) bool {
		if h.lengths[length] == 0 {
			return true
		}
		for f := h.files[headKey{uint16(length), hash}]; f != nil; f = f.indexed.nextHead {
			if !yield(f) {
				return false
			}
		}
		return true
	})
}
