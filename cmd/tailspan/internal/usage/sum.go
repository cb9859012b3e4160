package usage

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/emit"
)

// Sum holds tokens and costs.
type Sum struct {
	Tokens             events.Tokens
	Reported, Estimate NanoUSD
}

// NanoUSD is an amount in billionths of a dollar: a sum of integers does not depend on their order.
type NanoUSD int64

// NewNanoUSD converts an amount in dollars.
func NewNanoUSD(usd float64) NanoUSD { return NanoUSD(math.Round(usd * 1e9)) }

// USD returns the amount in dollars.
func (n NanoUSD) USD() float64 { return float64(n) / 1e9 }

// Total returns the number of all tokens.
func (s *Sum) Total() int64 { return s.Tokens.Input + s.Tokens.Output }

// Cost returns the reported plus the estimated cost.
func (s *Sum) Cost() NanoUSD { return s.Reported + s.Estimate }

func (s *Sum) add(o *Sum) {
	s.Tokens.Add(o.Tokens)
	s.Reported += o.Reported
	s.Estimate += o.Estimate
}

// Row holds the usage of one group.
type Row struct {
	// Of has one value for each dimension of the report, "" if it is unknown.
	Of []string
	Sum
}

// cell identifies a sum by the values of its dimensions.
type cell [dimensions]string

// sums adds up what streams report. It is safe for concurrent use.
type sums struct {
	by     []Dimension
	zone   *time.Location
	period Period

	mu      sync.Mutex
	cells   map[cell]*Sum
	folders map[string]string // by session; not every stream of a session names it
}

func newSums(by []Dimension, zone *time.Location, p Period) *sums {
	return &sums{by: by, zone: zone, period: p, cells: map[cell]*Sum{}, folders: map[string]string{}}
}

func (s *sums) add(u emit.Used) {
	s.mu.Lock()
	defer s.mu.Unlock()
	byProject := slices.Contains(s.by, Project)
	if byProject && u.Folder != "" && u.Session != "" && s.folders[u.Session] == "" {
		s.folders[strings.Clone(u.Session)] = u.Folder
	}
	if !s.period.contains(u.Time) {
		return
	}
	var at cell
	for _, d := range s.by {
		at[d] = d.of(&u, s.zone)
	}
	if byProject && u.Folder == "" {
		at[Session] = u.Session // its folder may become known later
	}
	sum := s.cells[at]
	if sum == nil {
		sum = new(Sum)
		for d := range at {
			at[d] = strings.Clone(at[d])
		}
		s.cells[at] = sum
	}
	sum.add(&Sum{u.Tokens, NewNanoUSD(u.CostUSD), NewNanoUSD(u.EstimateUSD)})
}

// rows returns the rows sorted by time, then by the tokens of their group, largest first.
func (s *sums) rows() []Row {
	merged, groups := map[string]*Row{}, map[string]int64{}
	for at, sum := range s.cells {
		if slices.Contains(s.by, Project) && at[Project] == "" {
			at[Project] = s.folders[at[Session]]
		}
		of := make([]string, len(s.by))
		for i, d := range s.by {
			of[i] = at[d]
			groups[groupOf(of[:i+1])] += sum.Total()
		}
		row := merged[groupOf(of)]
		if row == nil {
			row = &Row{Of: of}
			merged[groupOf(of)] = row
		}
		row.add(sum)
	}
	rows := make([]Row, 0, len(merged))
	for _, row := range merged {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		for i, d := range s.by {
			order := 0
			if !d.isTime() {
				order = cmp.Compare(groups[groupOf(b.Of[:i+1])], groups[groupOf(a.Of[:i+1])])
			}
			if order = cmp.Or(order, strings.Compare(a.Of[i], b.Of[i])); order != 0 {
				return order
			}
		}
		return 0
	})
	return rows
}

// groupOf returns a key for rows that begin with the same values.
func groupOf(of []string) string { return strings.Join(of, "\x00") }
