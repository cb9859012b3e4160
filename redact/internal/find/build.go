package find

import (
	"cmp"
	"encoding/binary"
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
		index: index{first: new([1 << 16]uint16), next: new([1 << 16]uint16), pairs: new([1 << 16]uint8)},
		count: new([1 << 16]uint16), entries: make([]entry, 0, 1<<15),
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
	all     []place
	entries []entry
	// Of the sample: count is how often a pair occurs. For choosing, see readSample: last is one more than the offset of its last
	// occurrence, before is the same for the previous occurrence.
	count, last *[1 << 16]uint16
	before      []uint16
	bytes       [256][]uint16 // offsets of each byte, without the last byte of the sample
}

// entry is a pair and the number of its place in all.
type entry struct{ pair, place uint16 }

// byPair returns the numbers of the places of each pair, in the order in which they were entered: those of a pair are between
// starts[pair] and starts[pair+1].
func (b *indexBuilder) byPair() (numbers []uint16, starts []uint32) {
	starts = make([]uint32, 1<<16+2)
	for _, e := range b.entries {
		starts[int(e.pair)+2]++
	}
	for i := range 1 << 16 {
		starts[i+1] += starts[i]
	}
	numbers = make([]uint16, len(b.entries))
	for _, e := range b.entries { // starts[pair+1] is the index for the next entry of the pair
		numbers[starts[int(e.pair)+1]] = e.place
		starts[int(e.pair)+1]++
	}
	return numbers, starts
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
	a.eachPair(best, func(pair uint16) {
		b.entries = append(b.entries, entry{pair, uint16(len(b.all))})
		b.first[pair] |= 1 << bucket
	})
	if bucket < bucketAny {
		a.eachPair(best+2, func(pair uint16) { b.next[pair] |= 1 << bucket })
	}
	b.all = append(b.all, p)
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
	for n := range costs {
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
		a.eachPair(i, func(pair uint16) {
			for at := b.last[pair]; at > 0; at = b.before[at-1] {
				f(int(at) - 1)
			}
		})
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

// number assigns a list to each pair. Pairs with the same anchors share one. When the numbers run out, the rarest pairs
// share lists too, since the anchors of a list are compared in any case.
func (b *indexBuilder) number() {
	sorted, starts := b.byPair()
	placesOf := func(pair uint16) []uint16 { return sorted[starts[pair]:starts[int(pair)+1]] }
	var pairs, rest []uint16 // pairs of the sample, most frequent first; other pairs
	for pair := range 1 << 16 {
		switch {
		case starts[pair] == starts[pair+1]:
		case b.count[pair] > 0:
			pairs = append(pairs, uint16(pair))
		default:
			rest = append(rest, uint16(pair))
		}
	}
	slices.SortStableFunc(pairs, func(p, q uint16) int { return cmp.Compare(b.count[q], b.count[p]) })
	numbers := make(map[string]int)
	lists := make([][]place, len(b.starts)-1)
	in := make([]bool, len(lists)*len(b.all)) // by list and place
	var key []byte
	for _, pair := range append(pairs, rest...) {
		key = key[:0]
		for _, p := range placesOf(pair) {
			key = binary.LittleEndian.AppendUint16(key, p)
		}
		n, ok := numbers[string(key)]
		if !ok {
			if n = len(numbers) + listControl + 1; n > ownLists {
				n = ownLists + n%(math.MaxUint8+1-ownLists)
			}
			numbers[string(key)] = n
		}
		b.pairs[pair] = uint8(n)
		for _, p := range placesOf(pair) {
			if at := n*len(b.all) + int(p); !in[at] {
				in[at] = true
				lists[n] = append(lists[n], b.all[p])
			}
		}
	}
	for n, list := range lists {
		b.places = append(b.places, list...)
		b.starts[n+1] = uint16(len(b.places))
	}
}

// addControls enters every pair that contains a control byte: C0 except tab and line breaks, DEL, and C1 in its UTF-8
// form, which begins with C2. No anchor contains such a byte.
func (x *index) addControls() {
	for c := range 256 {
		if !text.IsControl(byte(c)) && !text.MayBeInvisible(byte(c)) {
			continue
		}
		for other := range 256 {
			for _, pair := range [2]int{c | other<<8, other | c<<8} {
				x.pairs[pair] = listControl
				x.first[pair] |= 1 << bucketAny
			}
		}
	}
}
