package opencodedb

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Row is one row as a line.
type Row struct {
	// Data is a JSON object: the table's name and the columns.
	Data []byte
	// Time is when the row was last written, in milliseconds since 1970, according to its own column.
	Time int64
	// Again is true if the row was delivered before the stream of its family was closed, did not change, and is delivered again
	// because others refer to it.
	Again bool

	key  string // table and ID
	hash uint64 // of Data
	mark mark
}

// mark is what is recorded once a row is acknowledged.
type mark struct {
	session *session
	message string // the ID of a message
}

// read reads one row. It returns false if the row was removed.
func (d *database) read(ctx context.Context, k kind, id string) (Row, bool, error) {
	values := make([]any, len(d.columns[k]))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	err := d.rows[k].QueryRowContext(ctx, id).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return Row{}, false, nil
	}
	if err != nil {
		return Row{}, false, fmt.Errorf("read %s %q: %w", tables[k].name, id, err)
	}
	row, err := makeRow(k, d.columns[k], values)
	if err != nil {
		return Row{}, false, fmt.Errorf("read %s %q: %w", tables[k].name, id, err)
	}
	row.key = tables[k].name + "\x00" + id
	return row, true, nil
}

// makeRow returns the line for the values of columns.
func makeRow(k kind, columns []string, values []any) (row Row, err error) {
	var line bytes.Buffer
	line.WriteString(`{"table":"` + tables[k].name + `"`)
	for i, column := range columns {
		line.WriteString(`,"` + column + `":`)
		if err := writeValue(&line, values[i]); err != nil {
			return Row{}, fmt.Errorf("read column %q: %w", column, err)
		}
		if column == "time_updated" {
			row.Time, _ = values[i].(int64)
		}
	}
	line.WriteByte('}')
	row.Data = line.Bytes()
	return row, nil
}

// writeValue writes a value as JSON. SQLite holds nulls, integers, floating point numbers, text and bytes, whatever type the
// column was declared with.
func writeValue(to *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case []byte:
		value = string(v)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			value = nil
		}
	}
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	to.Truncate(to.Len() - 1) // the newline
	return nil
}
