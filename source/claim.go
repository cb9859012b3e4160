package source

import (
	"bytes"
	"cmp"
	"slices"
)

// sameContent deals with a head that is known under another inode: a file that was moved to another file system or
// replaced by a longer version of itself, the copy of a copytruncate, or another file with the same beginning.
func (t *table) sameContent(f *file, res result) bool {
	alive, leaving, undecided, passed, looked := false, false, false, 0, 0
	var all candidates
	t.heads.find(res.head, func(known *file) bool {
		passed++
		// One that is gone, or lost a name, costs one read of some bytes; of a compressed file all before them is read too.
		cheap := (known.strayed || known.state != stateFollowed) && !isCompressed(f.path)
		named := known.path == f.path || known.id == res.id || known.path == plainPath(f.path) || cheap
		if looked >= maxLooked && !named {
			return passed < maxPassed
		}
		looked++
		asLong := res.size >= known.pos.offset || isCompressed(f.path) // what was compressed has another size
		next := known.mayGoOnAs(f)
		switch {
		case known.ghost && known.id != res.id:
		case known.unverified() && known != f: // the store's word, not looked into yet
			undecided = true
		case known.isPresent() && known.id != res.id:
			alive, leaving = true, leaving || asLong // it is there, under whatever path, unless it turns out to be another one by now
		case f.first && !known.restored && !known.strayed: // two that were there at start are two
		case known.state == stateFollowed && !under(known), known.busy && !(next && known.state == stateFollowed):
			alive = true // there is more to it than we know
			if !under(known) {
				leaving = true
				t.touch(known) // it will be found to be gone
			}
		case known.state == stateFollowed:
			alive = true // if it was only copied, it may be about to be emptied
			if asLong && (known.pos.offset > 0 || next) {
				all = append(all, f.candidate(known, next))
			}
		case known.pos.offset == 0: // nothing of it was read
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
		t.hold(f, 10*busyWait)
	case alive && f.held == 0 || leaving && f.held < maxHeld:
		// One that is about to be found gone is waited for, for longer than one that may be emptied: it may be closer than
		// those that are gone already.
		f.held++
		t.hold(f, copyWait)
	default:
		if f.claims = all.closest(); len(f.claims) == 0 {
			return false
		}
		t.touch(f) // a worker looks whether it goes on where a known one was
	}
	return true
}

// candidate is a known file that f may go on with, or be a copy of.
type candidate struct {
	*file
	rank int
}

const (
	rankHere  = iota // was at the same path
	rankNext         // may be what f is now
	rankThere        // is there still, under its own name
)

func (f *file) candidate(known *file, next bool) candidate {
	switch {
	case !next:
		return candidate{known, rankThere}
	case known.path == f.path || known.path == plainPath(f.path):
		return candidate{known, rankHere}
	default:
		return candidate{known, rankNext}
	}
}

type candidates []candidate

// closest orders them by how much it would tell that f goes on where they are: one that was read further first, since what
// was read of the other may be its beginning. Those that f can only be a copy of are left out at the end: whether it is one
// makes no difference then.
func (all candidates) closest() (claims []*file) {
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.pos.offset, a.pos.offset), cmp.Compare(a.rank, b.rank))
	})
	for len(all) > 0 && all[len(all)-1].rank == rankThere {
		all = all[:len(all)-1]
	}
	for _, one := range all {
		claims = append(claims, one.file)
	}
	return claims
}

// mayGoOnAs tells whether a known file may be what stands under the path of f now, with another inode. One that is there
// may if it strayed.
func (known *file) mayGoOnAs(f *file) bool {
	if known.state != stateFollowed {
		return true
	}
	return !isCompressed(f.path) && !isCompressed(known.path) && known.hasStrayed()
}

// decide takes a worker's word on which of its claims f is related to, and how.
func (t *table) decide(f *file, res result) {
	if res.relation == isOther {
		t.disown(f, res)
		return
	}
	f.claims = f.claims[res.claimed:]
	known := f.claims[0]
	there := known.state == stateFollowed
	claim := res.claims[res.claimed]
	switch {
	case known.busy:
		t.hold(f, busyWait)
	case there && known.id == res.id: // found under another name meanwhile, and this is one more
		f.claims = nil
		t.touch(f)
	case res.relation == isUnclear, there != (claim.beside != nil), there && known.pos != claim.pos:
		if !known.tail { // else its time comes, if it is left alone
			t.touch(known)
		}
		t.hold(f, 10*busyWait)
	case res.relation == isNext && there:
		f.claims = nil
		t.split(known, f, res)
	case res.relation == isNext && (known.state == stateGone || known.slot != nil):
		f.claims = nil
		t.goOn(known, f, res.id)
	case res.relation == isEqual: // there is nothing to be read; either may go on
		f.claims = nil
		t.double(known, f, res)
	case res.relation == isCopy: // of what is there; then it continues no other
		t.disown(f, res)
	default: // forgotten meanwhile
		f.claims = nil
		t.touch(f)
	}
}

// disown notes that what stands under a path goes on with none of the known files.
func (t *table) disown(f *file, res result) {
	f.claims, f.disowned, f.id = nil, true, res.id
	t.touch(f)
}

// split has a known file that lost a name go on under the path of f, where a version of it stands that goes on where it
// was. What is left under its other names is a file of its own from now on.
func (t *table) split(known, f *file, res result) {
	rest := known.leftover()
	rest.state, rest.caughtUp, rest.seen, rest.strayed = stateFollowed, true, known.seen, true
	known.giveNames(rest)
	if t.paths[known.path] == known {
		t.paths[known.path] = rest
	}
	t.adopt(known, f, res.id)
	t.nameStream(rest, res.head)
	t.enter(rest)
}

// nameStream gives a file that goes on where another one was the id of its stream at once: without one its position is not
// stored, and its path may lead elsewhere, or the source end, before a worker opens it. Both files begin with the same head.
func (t *table) nameStream(f *file, head []byte) {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	f.streamID = t.names.name(f.path, line)
}

// goOn has a known file that is gone go on under the path of f, where a version of it stands that has another inode. If the
// old one has a name that nobody saw, it is known by its inode when it comes to light.
func (t *table) goOn(known, f *file, id fileID) {
	if old := known.before; old != nil && old.slot != nil {
		t.closed.Remove(old.slot)
		t.forget(old)
	}
	known.before = nil
	if known.id != id && t.ids[known.id] == known && (known.named || known.hasName()) {
		known.before = known.leftover()
		known.before.ghost = true
	}
	t.adopt(known, f, id)
	if rest := known.before; rest != nil {
		t.bury(rest)
		t.heads.add(rest)
		t.enterID(rest)
	}
}

// hasName tells whether a path leads to a file that is held open.
func (f *file) hasName() bool {
	if f.handle == nil {
		return false
	}
	info, err := f.handle.Stat()
	return err == nil && hasName(info)
}

// double takes f for the equal of a known file that lost a name: it may be that file under a new inode, and what is added to
// either goes on where both are.
func (t *table) double(known, f *file, res result) {
	other := known.leftover()
	other.path, other.id, other.size, other.mtime, other.seen = f.path, res.id, res.size, res.mtime, f.seen
	other.state, other.caughtUp = stateFollowed, true
	t.drop(f)
	t.paths[other.path] = other
	t.nameStream(other, res.head)
	t.enter(other)
}

// leftover gives what a known file leaves behind that goes on as another inode: a file of its own, read up to there. Its
// consumer is given the same state, so if it grows, it goes on with what it began as well.
func (known *file) leftover() *file {
	known.keepState()
	return &file{
		path: known.path, id: known.id, pos: known.pos, size: known.size, mtime: known.mtime, atEnd: known.atEnd,
		begun: known.begun, begin: known.begin, consumerState: known.consumerState, wakeSlot: -1, lastRead: known.lastRead,
	}
}
