package find

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// newIndex enters two pairs of each anchor, one at an even and one at an odd offset: a search that reads every second pair
// of a text meets one of them. It uses the choices in known and chooses pairs for the other anchors.
func newIndex(anchors []anchor, known []choice) index {
	b := newIndexBuilder()
	var done int // number of anchors in known
	for _, c := range known {
		b.enter(&anchors[c.anchor], c.back, c.bucket)
		done = max(done, c.anchor+1)
	}
	b.chooseAll(anchors, done)
	b.number()
	for pair := range b.next {
		b.next[pair] |= 1 << bucketAny
	}
	b.addControls()
	return b.index
}

func newIndexBuilder() *indexBuilder {
	b := &indexBuilder{
		index: index{first: new([1 << 16]uint16), next: new([1 << 16]uint16), pairs: new([1 << 16]uint8), quads: new(quads)},
		count: new([1 << 16]uint16), sets: newPlaceSets(),
	}
	for i := range len(sample) - 1 {
		b.count[pair(sample, i)]++
	}
	return b
}

// readSample collects the data from which pairs are chosen.
func (b *indexBuilder) readSample() {
	b.last, b.before = new([1 << 16]uint16), make([]uint16, len(sample))
	for i := range len(sample) - 1 {
		p := pair(sample, i)
		b.bytes[sample[i]] = append(b.bytes[sample[i]], uint16(i))
		b.before[i], b.last[p] = b.last[p], uint16(i+1)
	}
}

// chooseAll chooses and enters pairs of the anchors from index from on, and returns its choices. The most frequent anchors come
// first, so that they get separate buckets.
func (b *indexBuilder) chooseAll(anchors []anchor, from int) (chosen []choice) {
	if from == len(anchors) {
		return nil
	}
	b.readSample()
	type parityOf struct{ anchor, parity, cost int }
	var list []parityOf
	for i := from; i < len(anchors); i++ {
		for parity := range 2 {
			cost := 0
			b.eachAt(&anchors[i], parity, func(int) { cost++ })
			list = append(list, parityOf{i, parity, cost})
		}
	}
	slices.SortStableFunc(list, func(p, q parityOf) int { return q.cost - p.cost })
	for _, e := range list {
		best, bucket, _ := b.choose(&anchors[e.anchor], e.parity)
		b.enter(&anchors[e.anchor], best, bucket)
		chosen = append(chosen, choice{e.anchor, best, bucket})
	}
	return chosen
}

// indexBuilder builds an index.
type indexBuilder struct {
	index
	all  []place
	sets placeSets
	// Of the sample: count is how often a pair occurs. For choosing, see readSample: last is one more than the offset of its last
	// occurrence, before is the same for the previous occurrence.
	count, last *[1 << 16]uint16
	before      []uint16
	bytes       [256][]uint16 // offsets of each byte, without the last byte of the sample
}

// choose returns the pair of a, at an offset of the given parity, and the bucket with the fewest matches in the sample.
func (b *indexBuilder) choose(a *anchor, parity int) (best, bucket, least int) {
	best, bucket, least = -parity, bucketAny, math.MaxInt
	from := parity
	if parity == 1 && (a.begins || len(a.word) <= shortWord) {
		from = -1
	}
	for back := from; back+1 < len(a.word) || back == from; back += 2 {
		n, cost := b.cheapest(a, back)
		if cost < least {
			best, bucket, least = back, n, cost
		}
	}
	return best, bucket, least
}

// enter enters the pair of a at an offset in a bucket.
func (b *indexBuilder) enter(a *anchor, best, bucket int) {
	p := newPlace(a, best)
	p.bucket = uint8(bucket)
	b.all = append(b.all, p)
	firsts, seconds := a.bytes(best), a.bytes(best+1)
	for _, second := range []byte(seconds) { // in the order of the tables
		for _, first := range []byte(firsts) {
			b.sets.add(pairOf(first, second), uint16(len(b.all)-1))
			b.first[pairOf(first, second)] |= 1 << bucket
		}
	}
	if bucket == bucketAny {
		return
	}
	firsts, seconds = a.bytes(best+2), a.bytes(best+3)
	for _, second := range []byte(seconds) {
		for _, first := range []byte(firsts) {
			b.next[pairOf(first, second)] |= 1 << bucket
		}
	}
	if bucket < bucketOpen {
		b.quads.add(a.quad(best))
	}
}

// cheapest returns the bucket in which the pair of a at an offset has the fewest matches in the sample, and their number.
func (b *indexBuilder) cheapest(a *anchor, back int) (bucket, cost int) {
	var costs [bucketAny]int
	if back+2 >= len(a.word)+a.reach {
		b.eachAt(a, back, func(int) { cost += len(costs) })
		return bucketAny, cost
	}
	own := 0
	first, second := a.set(back+2), a.set(back+3)
	b.eachAt(a, back, func(i int) {
		next := b.pairAt(i + 2)
		if first[byte(next)] && second[byte(next>>8)] {
			own++
			return
		}
		for met := b.next[next]; met != 0; met &= met - 1 {
			costs[bits.TrailingZeros16(met)%bucketAny]++
		}
	})
	b.eachAt(a, back+2, func(i int) {
		for met := b.first[b.pairAt(i-2)]; met != 0; met &= met - 1 {
			costs[bits.TrailingZeros16(met)%bucketAny]++
		}
	})
	if isOpen(a.quad(back)) {
		return bucketOpen, costs[bucketOpen] + own*2
	}
	for n := range bucketOpen {
		if costs[n] < costs[bucket] {
			bucket = n
		}
	}
	return bucket, costs[bucket] + own*2
}

// eachAt calls f with the offsets in the sample of the pairs that may be at offset i of an anchor. It runs thousands of
// times, so it skips offsets that a byte within the word excludes.
func (b *indexBuilder) eachAt(a *anchor, i int, f func(at int)) {
	within := func(i int) bool { return i >= 0 && i < len(a.word) }
	switch {
	case within(i) && within(i+1):
		for _, first := range []byte(a.bytes(i)) {
			for _, second := range []byte(a.bytes(i + 1)) {
				for at := b.last[pairOf(first, second)]; at > 0; at = b.before[at-1] {
					f(int(at) - 1)
				}
			}
		}
	case within(i):
		second := a.set(i + 1)
		for _, c := range []byte(a.bytes(i)) {
			for _, at := range b.bytes[c] {
				if second[sample[at+1]] {
					f(int(at))
				}
			}
		}
	case within(i + 1):
		first := a.set(i)
		for _, c := range []byte(a.bytes(i + 1)) {
			for _, at := range b.bytes[c] {
				if at > 0 && first[sample[at-1]] {
					f(int(at) - 1)
				}
			}
			if n := len(sample); sample[n-1] == c && first[sample[n-2]] {
				f(n - 2)
			}
		}
	default:
		first, second := a.set(i), a.set(i+1)
		for at := range len(sample) - 1 {
			if first[sample[at]] && second[sample[at+1]] {
				f(at)
			}
		}
	}
}

// pairAt returns the pair at i of the sample, or two NUL bytes outside of it.
func (b *indexBuilder) pairAt(i int) uint16 {
	if i < 0 || i+1 >= len(sample) {
		return 0
	}
	return pair(sample, i)
}

// number assigns a list to each pair. Pairs with the same places share one. When the numbers run out, the rarest pairs
// share lists too, since the anchors of a list are compared in any case.
func (b *indexBuilder) number() {
	lists := make([][]place, len(b.starts)-1)
	numbered := 0
	for _, pair := range b.byFrequency() {
		set := b.sets.of[pair]
		list := &b.sets.all[set].list
		if *list == 0 {
			n := numbered + listControl + 1
			if n > ownLists {
				n = ownLists + n%(math.MaxUint8+1-ownLists)
			}
			numbered++
			*list = uint8(n)
			for _, i := range b.sets.places(set) {
				if p := b.all[i]; !slices.Contains(lists[n], p) {
					lists[n] = append(lists[n], p)
				}
			}
		}
		b.pairs[pair] = *list
	}
	for n, list := range lists {
		b.places = append(b.places, list...)
		b.starts[n+1] = uint16(len(b.places))
	}
}

// byFrequency returns the pairs that have places: those of the sample, the most frequent first, and then the others.
func (b *indexBuilder) byFrequency() []uint16 {
	var pairs, rest []uint16
	for pair, set := range b.sets.of {
		switch {
		case set == 0:
		case b.count[pair] > 0:
			pairs = append(pairs, uint16(pair))
		default:
			rest = append(rest, uint16(pair))
		}
	}
	slices.SortStableFunc(pairs, func(p, q uint16) int { return cmp.Compare(b.count[q], b.count[p]) })
	return append(pairs, rest...)
}

// addControls enters every pair that contains a control byte: C0 except tab and line breaks, DEL, and C1 in its UTF-8
// form, which begins with C2. No anchor contains such a byte.
func (x *index) addControls() {
	var isControl [256]bool
	for c := range isControl {
		isControl[c] = text.IsControl(byte(c)) || text.MayBeInvisible(byte(c))
	}
	controls, all := []byte(membersOf(&isControl)), []byte(membersOf(anyByte()))
	for second := range 256 { // in the order of the tables
		firsts := controls
		if isControl[second] {
			firsts = all
		}
		for _, first := range firsts {
			pair := pairOf(first, byte(second))
			x.pairs[pair] = listControl
			x.first[pair] |= 1 << bucketAny
		}
	}
}
