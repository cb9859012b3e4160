package account

import "slices"

// Opening describes a run that is about to open.
type Opening struct {
	Stream string
	Claims *Claims // of the stream
	Run    uint64  // the same hash in each account of the run
	Copy   uint64  // equal to that of the original if the first item is a copy; 0 if copies cannot be proven
	// Signs returns the signs of the run and whether its stream is a transcript.
	Signs func() (signs []uint64, recorded bool)
}

// Stand classifies a run that is about to open and returns its first account, or nil if that is unknown.
func (r *Registry[S]) Stand(o *Opening) (Standing, *Account) {
	decided := slices.Contains(o.Claims.Owned, o.Run) // possibly in an earlier process
	first, mine := r.Claim(o.Claims, o.Stream, o.Run)
	if !mine {
		return Second, r.firstUnder(first, o)
	}
	if o.Copy != 0 {
		original, mine := r.Claim(o.Claims, o.Stream, o.Copy)
		if !mine {
			return Copy, original
		}
		original.recalled.Store(false) // its items are read again
	}
	if twin := r.twinOrEnter(first, o); twin != nil && !decided {
		first.alias.Store(twin) // for copies of this stream
		o.Claims.reject(o.Run)
		return Second, twin
	}
	return First, first
}

// firstUnder returns the first account of a run that another stream claimed, possibly under other IDs. After a restart
// that stream may not be open yet.
func (r *Registry[S]) firstUnder(first *Account, o *Opening) *Account {
	if first != nil && first.First() != first {
		return first.First()
	}
	if first == nil || first.Run() == nil {
		signs, recorded := o.Signs()
		r.mu.Lock()
		defer r.mu.Unlock()
		if twin := r.twin(signs, !recorded); twin != nil {
			return twin
		}
	}
	return first
}

// twinOrEnter returns the twin of a run, found by its signs. If there is none, it enters the signs under the same lock:
// of two streams that open their runs at the same time, one becomes the twin of the other.
func (r *Registry[S]) twinOrEnter(own *Account, o *Opening) *Account {
	signs, recorded := o.Signs()
	if len(signs) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if twin := r.twin(signs, !recorded); twin != nil {
		return twin
	}
	r.enter(own, signs, recorded)
	return nil
}

// sign is a hash of an item of a session and the kind of stream that contains it.
type sign struct {
	hash     uint64
	recorded bool
}

// maxTwins bounds the runs of one sign.
const maxTwins = 8

// twin returns the first run with one of the signs that has no twin yet.
func (r *Registry[S]) twin(signs []uint64, recorded bool) *Account {
	for _, hash := range signs {
		list, _ := r.runs.Get(sign{hash, recorded})
		for _, a := range list {
			if a.twin == "" {
				return a
			}
		}
	}
	return nil
}

func (r *Registry[S]) enter(own *Account, signs []uint64, recorded bool) {
	for _, hash := range signs {
		key := sign{hash, recorded}
		list, _ := r.runs.Get(key)
		if len(list) < maxTwins && !slices.Contains(list, own) {
			r.runs.Set(key, append(list, own))
		}
	}
}

// Enter adds signs to a first account. recorded is true if its stream is a transcript.
func (r *Registry[S]) Enter(own *Account, signs []uint64, recorded bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enter(own, signs, recorded)
}

// Has reports whether an account has one of the signs. recorded is true if its stream is a transcript.
func (r *Registry[S]) Has(first *Account, signs []uint64, recorded bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(signs, func(hash uint64) bool {
		list, _ := r.runs.Get(sign{hash, recorded})
		return slices.Contains(list, first)
	})
}
