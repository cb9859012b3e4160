package usage

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/tailspan/tailspan/render"
)

// TableSettings configure the look of a table.
type TableSettings struct {
	// Width is the width of the screen in cells; 0 means no limit: names and numbers are not shortened.
	Width int
	// Home is the folder that is shown as ~.
	Home string
}

// number is a column of numbers.
type number struct {
	title string
	of    func(*Sum) int64
}

var (
	allInput   = number{"INPUT", func(s *Sum) int64 { return s.Tokens.Input }}
	cacheRead  = number{"CACHE READ", func(s *Sum) int64 { return s.Tokens.CacheRead }}
	cacheWrite = number{"CACHE WRITE", func(s *Sum) int64 { return s.Tokens.CacheWrite }}
	allOutput  = number{"OUTPUT", func(s *Sum) int64 { return s.Tokens.Output }}
	allTokens  = number{"TOTAL", func(s *Sum) int64 { return s.Total() }}
)

// layout describes which numbers a table has and how they are formatted.
type layout struct {
	numbers []number
	format  func(int64) string
}

// layouts are tried in this order until one fits on the screen.
var layouts = []layout{
	{[]number{allInput, cacheRead, cacheWrite, allOutput, allTokens}, render.GroupedCount},
	{[]number{allInput, cacheRead, cacheWrite, allOutput}, render.GroupedCount},
	{[]number{allInput, cacheRead, cacheWrite, allOutput, allTokens}, render.ShortCount},
	{[]number{allInput, allOutput, allTokens}, render.GroupedCount},
	{[]number{allInput, allOutput}, render.ShortCount},
	{[]number{allTokens}, render.ShortCount},
}

// gap separates two columns. Names are cut to leastName before a column of numbers is left out.
const (
	gap       = 2
	leastName = 16
)

// WriteTable writes the report for people: names on the left, numbers right-aligned, the total last.
func (r *Report) WriteTable(w io.Writer, s TableSettings) error {
	var t table
	for _, l := range layouts {
		if t = r.table(l, s); s.Width <= 0 || t.fits(s.Width) {
			break
		}
	}
	if s.Width > 0 {
		t.cut(s.Width)
	}
	out := bufio.NewWriter(w)
	for i := range t.rows {
		if i == len(t.rows)-1 && s.Width > 0 {
			fmt.Fprintln(out, strings.Repeat("─", min(t.width(), s.Width)))
		}
		t.write(out, i)
	}
	for _, note := range r.notes() {
		if s.Width > 0 {
			fmt.Fprintln(out, render.Fit(note, s.Width))
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// notes returns explanations of the costs.
func (r *Report) notes() []string {
	switch {
	case r.Total.Estimate > 0:
		return []string{"~ has estimates by the list of prices"}
	case r.Total.Cost() == 0:
		return []string{"no cost was reported; --prices FILE estimates it"}
	default:
		return nil
	}
}

// table is a report as cells.
type table struct {
	by     []Dimension // name columns, on the left
	rows   [][]string
	widths []int
}

func (r *Report) table(l layout, s TableSettings) table {
	t := table{by: r.By}
	head := make([]string, 0, len(r.By)+len(l.numbers)+1)
	for _, d := range r.By {
		head = append(head, strings.ToUpper(d.String()))
	}
	for _, n := range l.numbers {
		head = append(head, n.title)
	}
	t.rows = append(t.rows, append(head, "COST"))
	for i := range r.Rows {
		names := make([]string, len(r.By))
		for j, d := range r.By {
			names[j] = name(d, r.Rows[i].Of[j], s.Home)
		}
		t.rows = append(t.rows, l.row(names, &r.Rows[i].Sum))
	}
	names := make([]string, len(r.By))
	names[0] = "total"
	t.rows = append(t.rows, l.row(names, &r.Total))
	t.widths = make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, text := range row {
			t.widths[i] = max(t.widths[i], render.Cells(text))
		}
	}
	return t
}

func (l *layout) row(names []string, s *Sum) []string {
	for _, n := range l.numbers {
		names = append(names, l.format(n.of(s)))
	}
	return append(names, cost(s))
}

// name formats a value for people.
func name(d Dimension, value, home string) string {
	if d == Project && home != "" {
		if rest, ok := strings.CutPrefix(value, home); ok && (rest == "" || rest[0] == filepath.Separator) {
			value = "~" + rest
		}
	}
	return cmp.Or(strings.TrimSpace(render.Sanitize(value)), "(unknown)")
}

// cost formats the known cost.
func cost(s *Sum) string {
	if s.Cost() == 0 {
		return "-"
	}
	return render.USD(s.Cost().USD(), s.Estimate > 0)
}

// fits reports whether the table fits the screen once its names are cut.
func (t *table) fits(width int) bool {
	for _, w := range t.widths[:len(t.by)] {
		width += max(w-leastName, 0)
	}
	return t.width() <= width
}

func (t *table) width() int {
	sum := gap * (len(t.widths) - 1)
	for _, w := range t.widths {
		sum += w
	}
	return sum
}

// cut narrows the widest names until the table fits the screen, times last.
func (t *table) cut(width int) {
	for over := t.width() - width; over > 0; over-- {
		widest, room := -1, 0
		for i, d := range t.by {
			left := t.widths[i] - 1
			if d.isTime() {
				left = min(left, 1) // a day cannot be shortened
			}
			if left > room {
				widest, room = i, left
			}
		}
		if widest < 0 {
			break
		}
		t.widths[widest]--
	}
}

func (t *table) write(out *bufio.Writer, row int) {
	for i, text := range t.rows[row] {
		if i > 0 {
			fmt.Fprintf(out, "%*s", gap, "")
		}
		if row > 0 && i < len(t.by) && (t.by[i] == Project || t.by[i].isTime()) { // its end says most
			text = render.FitEnd(text, t.widths[i])
		} else {
			text = render.Fit(text, t.widths[i])
		}
		pad := strings.Repeat(" ", max(t.widths[i]-render.Cells(text), 0))
		if i < len(t.by) {
			out.WriteString(text + pad)
		} else {
			out.WriteString(pad + text)
		}
	}
	out.WriteByte('\n')
}
