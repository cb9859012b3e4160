package telemetry

// occurrences counts how often ids came, so that the same id twice gives two span ids. It remembers the newest ids up
// to its limit.
type occurrences struct {
	limit int
	count map[string]int
	order []string // oldest first
}

func newOccurrences(limit int) occurrences {
	return occurrences{limit: limit, count: map[string]int{}}
}

// next enters an id and returns how often it came before.
func (o *occurrences) next(id string) int {
	n, seen := o.count[id]
	if !seen {
		o.order = append(o.order, id)
		if len(o.order) > o.limit {
			delete(o.count, o.order[0])
			o.order = o.order[1:]
		}
	}
	o.count[id] = n + 1
	return n
}
