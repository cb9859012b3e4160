package account

import "slices"

// Opening is a run that is about to open.
type Opening struct {
	Stream string
	Claims *Claims // of the stream
	Run    uint64  // the run, in each account of it
	Copy   uint64  // what a copy of its first item has in common with it; 0 if nothing proves one
	// Signs are those of the run, and whether its stream is a transcript.
	Signs func() (signs []uint64, recorded bool)
}

// Stand decides what a run is, and who was the first with it; nil if that is not known.
func (r *Registry[S]) Stand(o *Opening) (Standing, *Account) {
	decided := slices.Contains(o.Claims.Owned, o.Run) // maybe in an earlier process
	first, mine := r.Claim(o.Claims, o.Stream, o.Run)
	if !mine {
		return Second, r.firstUnder(first, o)
	}
	if o.Copy != 0 {
		if original, mine := r.Claim(o.Claims, o.Stream, o.Copy); !mine {
			return Copy, original
		}
	}
	if twin := r.twinOrEnter(first, o); twin != nil && !decided {
		first.alias.Store(twin) // for copies of this stream
		o.Claims.reject(o.Run)
		return Second, twin
	}
	return First, first
}

// firstUnder is the first account of a run that is another stream's, maybe under other ids. That stream may not be open again
// after a restart.
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

// twinOrEnter is the run that this one is another account of, by its signs. If there is none, its signs are entered at once:
// of two streams that open their runs at the same time, one is the other's twin.
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

// sign is a hash of an item of a session, and which kind of stream has it.
type sign struct {
	hash     uint64
	recorded bool
}

// maxTwins bounds the runs that are found by one sign.
const maxTwins = 8

// twin is the first run with a sign that has no twin yet.
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

// Enter notes signs of a first account, whose stream is a transcript or not.
func (r *Registry[S]) Enter(own *Account, signs []uint64, recorded bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enter(own, signs, recorded)
}

// Has reports whether an account, whose stream is a transcript or not, has one of the signs.
func (r *Registry[S]) Has(first *Account, signs []uint64, recorded bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(signs, func(hash uint64) bool {
		list, _ := r.runs.Get(sign{hash, recorded})
		return slices.Contains(list, first)
	})
}
