package fileset

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// matchContent handles a head that is known under another inode: a file that was moved to another file system or
// replaced by a longer version of itself, the copy of a copytruncate, or another file with the same beginning.
func (m *matcher) matchContent(f *File, res reader.Result) bool {
	alive, leaving, undecided, passed, looked := false, false, false, 0, 0
	var all candidates
	m.heads.find(res.Head, func(known *File) bool {
		passed++
		// An unlinked file, or one that lost a link, costs one read of some bytes; of a compressed file all before them is read too.
		cheap := (known.lostLink || known.state != stateFollowing) && !openfile.IsCompressed(f.path)
		named := known.path == f.path || known.id == res.ID || known.path == openfile.PlainPath(f.path) || cheap
		if looked >= maxCompared && !named {
			return passed < maxPassed
		}
		looked++
		asLong := res.Size >= known.pos.Offset || openfile.IsCompressed(f.path) // what was compressed has another size
		next := known.continues(f)
		switch {
		case known.tombstone && known.id != res.ID:
		case known.unverified() && known != f: // its checkpoint is not confirmed yet
			undecided = true
		case known.isPresent() && known.id != res.ID:
			alive, leaving = true, leaving || asLong // it is there, under whatever path, unless it turns out to be another one by now
		case f.origin == originStart && known.origin != originStored && !known.lostLink: // two that were there at start are two
		case known.state == stateFollowing && !atPath(known), known.busy() && !(next && known.state == stateFollowing):
			alive = true // there is more to it than we know
			if !atPath(known) {
				leaving = true
				m.schedule(known) // its next visit finds it unlinked
			}
		case known.state == stateFollowing:
			alive = true // if it was only copied, it may be about to be emptied
			if asLong && (known.pos.Offset > 0 || next) {
				all = append(all, f.candidate(known, next))
			}
		case known.pos.Offset == 0: // nothing of it was read
		case asLong:
			all = append(all, f.candidate(known, next))
		default: // perhaps the copy is still being made
			alive = true
		}
		return passed < maxPassed
	})
	f.claims = nil
	switch {
	case undecided:
		m.delay(f, 10*busyWait)
	case alive && f.delays == 0 || leaving && f.delays < maxDelays:
		// A file that is about to be unlinked is waited for longer than one that may be emptied: it may match better than those
		// that are unlinked already.
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

// candidate is a known file that f may continue, or be a copy of.
type candidate struct {
	*File
	rank int
}

const (
	rankHere  = iota // was at the same path
	rankNext         // may be what f is now
	rankThere        // is there still, under its own name
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

// closest orders them by evidence: one that was read further comes first, since what was read of the other may be its
// beginning. Those that f can only be a copy of are left out at the end, where they make no difference.
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

// continues reports whether a known file may be what is under the path of f now, with another inode. An existing one may if it
// lost a link.
func (known *File) continues(f *File) bool {
	if known.state != stateFollowing {
		return true
	}
	return !openfile.IsCompressed(f.path) && !openfile.IsCompressed(known.path) && known.hasLostLink()
}

// decide applies a worker's finding: which of its claims f is related to, and how.
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
	case there && known.id == res.ID, m.isFollowed(res.ID): // found under another name meanwhile, and this is one more
		f.claims = nil
		m.schedule(f)
	case res.Relation == reader.RelationUnclear, there != (claim.Beside != nil), there && known.pos != claim.Pos:
		if known.flushAt.IsZero() { // else its flush is due soon
			m.schedule(known)
		}
		m.delay(f, 10*busyWait)
	case res.Relation == reader.RelationNext && there:
		f.claims = nil
		m.split(known, f, res)
	case res.Relation == reader.RelationNext && (known.state == stateUnlinked || known.indexed.slot != nil):
		f.claims = nil
		m.continueAs(known, f, res.ID)
	case res.Relation == reader.RelationEqual: // there is nothing to be read; either may go on
		f.claims = nil
		m.double(known, f, res)
	case res.Relation == reader.RelationCopy: // of what is there; then it continues no other
		m.reject(f, res)
	default: // evicted meanwhile
		f.claims = nil
		m.schedule(f)
	}
}

// isFollowed reports whether a file is followed that has an inode and is under its path.
func (m *matcher) isFollowed(id fingerprint.FileID) bool {
	known := m.ids[id]
	return known != nil && known.state == stateFollowing && atPath(known)
}

// reject records that the file under a path continues none of the known files.
func (m *matcher) reject(f *File, res reader.Result) {
	f.claims, f.rejected, f.id = nil, true, res.ID
	m.schedule(f)
}

// split continues a known file that lost a link under the path of f, where a longer version of it is. The file under its other
// links is a file of its own from now on.
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

// nameStream gives a file that goes on where another one was the id of its stream at once: without one its position is not
// stored, and its path may lead elsewhere, or the source end, before a worker opens it. Both files begin with the same head.
func (m *matcher) nameStream(f *File, head []byte) {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	f.stream.ID = m.names.Name(f.path, line)
}

// continueAs continues an unlinked file under the path of f, where a version of it is that has another inode. If the old one
// has a link that was not scanned, it is known by its inode when it is found.
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

// double records that f equals a known file that lost a link: it may be that file under a new inode, and either continues when
// it grows.
func (m *matcher) double(known, f *File, res reader.Result) {
	other := known.leftover()
	other.path, other.id, other.size, other.mtime, other.seen = f.path, res.ID, res.Size, res.MTime, f.seen
	other.state, other.live = stateFollowing, true
	m.drop(f)
	m.paths[other.path] = other
	m.nameStream(other, res.Head)
	m.enter(other)
}

// leftover returns what a known file leaves behind that goes on as another inode: a file of its own, read up to there. Its
// consumer is given the same state, so if it grows, it goes on with what it began as well.
func (known *File) leftover() *File {
	left := newFile(known.path)
	left.id, left.pos, left.size, left.mtime, left.lastRead = known.id, known.pos, known.size, known.mtime, known.lastRead
	left.stream = known.stream.Leftover()
	return left
}

// standing returns what a worker needs to know of an existing file, to find how f is related to it.
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
