package find

import "slices"

// placeSets has the places of each pair. Places are added in the order of their numbers, so that pairs with the same places
// have the same set.
type placeSets struct {
	all []placeSet // the first one is empty
	of  *[1 << 16]uint32
}

// placeSet is another set, rest, with one more place.
type placeSet struct {
	rest  uint32
	place uint16
	list  uint8  // number of its list, once it has one
	more  uint32 // the set that was last made of this one and a place
}

func newPlaceSets() placeSets {
	return placeSets{all: make([]placeSet, 1, 1<<11), of: new([1 << 16]uint32)}
}

// add adds a place to those of a pair.
func (s *placeSets) add(pair, place uint16) {
	old := s.of[pair]
	more := s.all[old].more
	if more == 0 || s.all[more].place != place {
		more = uint32(len(s.all))
		s.all[old].more = more
		s.all = append(s.all, placeSet{rest: old, place: place})
	}
	s.of[pair] = more
}

// places returns the places of a set in the order of their numbers.
func (s *placeSets) places(set uint32) (list []uint16) {
	for ; set > 0; set = s.all[set].rest {
		list = append(list, s.all[set].place)
	}
	slices.Reverse(list)
	return list
}
