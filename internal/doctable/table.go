// Package doctable reads the tables of our documents in docs/formats: which types a provider's page names, and what it
// says of each. Tests hold the parsers to them, and `make drift` compares them with published types.
//
// A table stands under a heading and is of plain Markdown. Its first column names types in code quotes, several in one
// row where the same is to be said of them. All is read at once; a value is safe for several readers.
package doctable

import (
	"fmt"
	"slices"
	"strings"
)

// Table is one table.
type Table struct {
	heading string
	columns []string
	rows    map[string][]string
}

// Read finds the table under the first heading of a page, of any level, that begins with a text.
func Read(page, heading string) (Table, error) {
	t := Table{heading: heading, rows: map[string][]string{}}
	for _, line := range section(page, heading) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if t.columns == nil {
			t.columns = cells
			continue
		}
		if len(cells) != len(t.columns) {
			return Table{}, fmt.Errorf("read table %q: %d columns, but %d in %q", heading, len(t.columns), len(cells), line)
		}
		for i, name := range strings.Split(cells[0], "`") {
			if i%2 == 0 {
				continue
			}
			if t.rows[name] != nil {
				return Table{}, fmt.Errorf("read table %q: %q is there twice", heading, name)
			}
			t.rows[name] = cells
		}
	}
	if len(t.rows) == 0 {
		return Table{}, fmt.Errorf("read table %q: no such heading, or nothing under it", heading)
	}
	return t, nil
}

// section gives the lines under a heading, up to the next one.
func section(page, heading string) (lines []string) {
	inside := false
	for line := range strings.SplitSeq(page, "\n") {
		if strings.HasPrefix(line, "#") {
			if inside {
				break
			}
			inside = strings.HasPrefix(strings.TrimLeft(line, "# "), heading)
		} else if inside {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// Has reports whether the table names a type.
func (t Table) Has(name string) bool { return t.rows[name] != nil }

// Column gives what a column says of each type. It goes by the first of the names that the table has.
func (t Table) Column(names ...string) (map[string]string, error) {
	at := slices.IndexFunc(t.columns, func(column string) bool { return slices.Contains(names, column) })
	if at < 0 {
		return nil, fmt.Errorf("read table %q: no column %q, only %q", t.heading, names, t.columns)
	}
	column := map[string]string{}
	for name, cells := range t.rows {
		column[name] = cells[at]
	}
	return column, nil
}
