package fileset

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// matchContent handles a head that is known under another inode: a file that was moved to another file system or replaced by a
// longer version, the copy of a copytruncate, or another file with the same beginning.
func (m *matcher) matchContent(f *File, res reader.Result) bool {
	alive, leaving, undecided, passed, looked := false, false, false, 0, 0
	var all candidates
	m.heads.find(res.Head, func(known *File) bool {
		passed++
		// An unlinked file or a lost link costs one short read to compare, unless f has to be decompressed up to there.
		cheap := (known.lostLink || known.state != stateFollowing) && !openfile.IsCompressed(f.path)
		named := known.path == f.path || known.id == res.ID || known.path == openfile.PlainPath(f.path) || cheap
		if looked >= maxCompared && !named {
			return passed < maxPassed
		}
		looked++
		asLong := res.Size >= known.pos.Offset || openfile.IsCompressed(f.path) // compressed size is unrelated
		next := known.continues(f)
		switch {
		case known.tombstone && known.id != res.ID:
		case known.unverified() && known != f: // its checkpoint is not confirmed yet
			undecided = true
		case known.isPresent() && known.id != res.ID:
			alive, leaving = true, leaving || asLong // it still exists under some path, unless another file took its inode
		case f.origin == originStart && known.origin != originStored && !known.lostLink: // both existed at start, so they differ
		case known.state == stateFollowing && !atPath(known), known.busy() && !(next && known.state == stateFollowing):
			alive = true // more is about to be known of it
			if !atPath(known) {
				leaving = true
				m.schedule(known) // its next visit finds it unlinked
			}
		case known.state == stateFollowing:
			alive = true // if f is its copy, it may be about to be emptied
			if asLong && (known.pos.Offset > 0 || next) {
				all = append(all, f.candidate(known, next))
			}
		case known.pos.Offset == 0: // nothing of it was read
		case asLong:
			all = append(all, f.candidate(known, next))
		default: // the copy may still be in progress
			alive = true
		}
		return passed < maxPassed
	})
	f.claims = nil
	switch {
	case undecided:
		m.delay(f, 10*busyWait)
	case alive && f.delays == 0 || leaving && f.delays < maxDelays:
		// A file about to be unlinked is waited for longer than one that may be emptied: it may match better than the files
		// that are already unlinked.
		f.delays++
		m.delay(f, copyWait)
	default:
		if f.claims = all.closest(); len(f.claims) == 0 {
			return false
		}
		m.schedule(f) // a worker compares it with the candidates
	}
	return true
}

// candidate is a known file that f may continue or be a copy of.
type candidate struct {
	*File
	rank int
}

const (
	rankHere  = iota // it was at the same path
	rankNext         // f may be its next version
	rankThere        // it still exists under its own name
)

func (f *File) candidate(known *File, next bool) candidate {
	switch {
	case !next:
		return candidate{known, rankThere}
	case known.path == f.path || known.path == openfile.PlainPath(f.path):
		return candidate{known, rankHere}
	default:
		return candidate{known, rankNext}
	}
}

type candidates []candidate

// closest orders the candidates by evidence. Those read further come first, since what was read of the others may be their
// beginning. Trailing candidates of which f can only be a copy make no difference and are dropped.
func (all candidates) closest() (claims []*File) {
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.pos.Offset, a.pos.Offset), cmp.Compare(a.rank, b.rank))
	})
	for len(all) > 0 && all[len(all)-1].rank == rankThere {
		all = all[:len(all)-1]
	}
	for _, one := range all {
		claims = append(claims, one.File)
	}
	return claims
}

// continues reports whether the file that the path of f leads to may be a known file under another inode. For an existing
// file, that requires a lost link.
func (known *File) continues(f *File) bool {
	if known.state != stateFollowing {
		return true
	}
	return !openfile.IsCompressed(f.path) && !openfile.IsCompressed(known.path) && known.hasLostLink()
}

// decide applies a worker's finding: to which of its claims f is related, and how.
func (m *matcher) decide(f *File, res reader.Result) {
	if res.Relation == reader.RelationOther {
		m.reject(f, res)
		return
	}
	f.claims = f.claims[res.Claimed:]
	known := f.claims[0]
	there := known.state == stateFollowing
	claim := res.Claims[res.Claimed]
	switch {
	case known.busy():
		m.delay(f, busyWait)
	case there && known.id == res.ID, m.isFollowed(res.ID): // f is another link of a file found under another name meanwhile
		f.claims = nil
		m.schedule(f)
	case res.Relation == reader.RelationUnclear, there != (claim.Beside != nil), there && known.pos != claim.Pos:
		if known.flushAt.IsZero() { // otherwise its flush is due soon
			m.schedule(known)
		}
		m.delay(f, 10*busyWait)
	case res.Relation == reader.RelationNext && there:
		f.claims = nil
		m.split(known, f, res)
	case res.Relation == reader.RelationNext && (known.state == stateUnlinked || known.indexed.slot != nil):
		f.claims = nil
		m.continueAs(known, f, res.ID)
	case res.Relation == reader.RelationEqual: // nothing is left to read; either may grow
		f.claims = nil
		m.double(known, f, res)
	case res.Relation == reader.RelationCopy: // f copies an existing file, so it continues no other
		m.reject(f, res)
	default: // evicted meanwhile
		f.claims = nil
		m.schedule(f)
	}
}

// isFollowed reports whether a followed file has the inode and is at its path.
func (m *matcher) isFollowed(id fingerprint.FileID) bool {
	known := m.ids[id]
	return known != nil && known.state == stateFollowing && atPath(known)
}

// reject records that the file at a path continues none of the known files.
func (m *matcher) reject(f *File, res reader.Result) {
	f.claims, f.rejected, f.id = nil, true, res.ID
	m.schedule(f)
}

// split continues a known file that lost a link under the path of f, which leads to a longer version of it. The file under its
// other links is a separate file from then on.
func (m *matcher) split(known, f *File, res reader.Result) {
	rest := known.leftover()
	rest.state, rest.live, rest.seen, rest.lostLink = stateFollowing, true, known.seen, true
	known.moveLinks(rest)
	if m.paths[known.path] == known {
		m.paths[known.path] = rest
	}
	m.adopt(known, f, res.ID)
	m.nameStream(rest, res.Head)
	m.enter(rest)
}

// nameStream assigns a stream ID at once to a file that continues from another one. Without an ID its position is not stored,
// and its path may change or the source may stop before a worker opens it. Both files begin with the same head.
func (m *matcher) nameStream(f *File, head []byte) {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	f.stream.ID = m.names.Name(f.path, line)
}

// continueAs continues an unlinked file under the path of f, which leads to a version of it with another inode. If the old
// file has a link that no scan has found yet, it will be recognized by its inode.
func (m *matcher) continueAs(known, f *File, id fingerprint.FileID) {
	if old := known.before; old != nil && old.indexed.slot != nil {
		m.retired.Remove(old.indexed.slot)
		m.evict(old)
	}
	known.before = nil
	if known.id != id && m.ids[known.id] == known && (known.named || known.stream.HasName()) {
		known.before = known.leftover()
		known.before.tombstone = true
	}
	m.adopt(known, f, id)
	if rest := known.before; rest != nil {
		m.retire(rest)
		m.heads.add(rest)
		m.enterID(rest)
	}
}

// double records that f equals a known file that lost a link. It may be that file under a new inode, so either one continues
// when it grows.
func (m *matcher) double(known, f *File, res reader.Result) {
	other := known.leftover()
	other.path, other.id, other.size, other.mtime, other.seen = f.path, res.ID, res.Size, res.MTime, f.seen
	other.state, other.live = stateFollowing, true
	m.drop(f)
	m.paths[other.path] = other
	m.nameStream(other, res.Head)
	m.enter(other)
}

// leftover returns the file left behind by a known file that continues as another inode: a separate file, read up to the same
// offset. Its consumer receives the same state, so if the file grows, it too continues what was begun.
func (known *File) leftover() *File {
	left := newFile(known.path)
	left.id, left.pos, left.size, left.mtime, left.lastRead = known.id, known.pos, known.size, known.mtime, known.lastRead
	left.stream = known.stream.Leftover()
	return left
}

// standing returns what a worker needs to know of an existing file to find how f is related to it.
func (known *File) standing(f *File) *reader.Standing {
	if known.state != stateFollowing {
		return nil
	}
	s := &reader.Standing{Path: known.path, ID: known.id, Lost: known.continues(f), Size: -1}
	if known.live && known.flushAt.IsZero() && known.tries == 0 {
		s.Size = known.size
	}
	return s
}
