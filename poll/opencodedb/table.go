package opencodedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoSessions means that the database is not an OpenCode database.
var ErrNoSessions = errors.New("no OpenCode sessions here")

// kind is one of the tables that are read.
type kind uint8

const (
	kindSession kind = iota
	kindMessage
	kindPart
	kindEnd
)

// table is what is read of one table.
type table struct {
	name string
	// columns in the order in which they are returned. Columns missing in a version of the database are omitted, and columns
	// not listed here are not read; share_url is not, because whoever has it can read the session.
	columns []string
	// needed are the columns without which the database is not OpenCode's.
	needed []string
}

// tables are all that is ever queried.
var tables = [kindEnd]table{
	kindSession: {
		name: "session",
		columns: []string{
			"id", "project_id", "workspace_id", "parent_id", "slug", "directory", "path", "title", "version",
			"summary_additions", "summary_deletions", "summary_files", "summary_diffs", "metadata",
			"cost", "tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read", "tokens_cache_write",
			"revert", "permission", "agent", "model", "time_created", "time_updated", "time_compacting", "time_archived",
		},
		needed: []string{"id", "parent_id", "time_created", "time_updated"},
	},
	kindMessage: {
		name:    "message",
		columns: []string{"id", "session_id", "time_created", "time_updated", "data"},
		needed:  []string{"id", "session_id", "time_created", "time_updated", "data"},
	},
	kindPart: {
		name:    "part",
		columns: []string{"id", "message_id", "session_id", "time_created", "time_updated", "data"},
		needed:  []string{"id", "message_id", "session_id", "time_updated", "data"},
	},
}

// columnsOf returns the columns of a table that exist and are read.
func columnsOf(ctx context.Context, db *sql.DB, k kind) ([]string, error) {
	t := &tables[k]
	var is string // a view of this name could show another table
	err := db.QueryRowContext(ctx, `SELECT type FROM sqlite_schema WHERE name = ?`, t.name).Scan(&is)
	if errors.Is(err, sql.ErrNoRows) || err == nil && is != "table" {
		return nil, fmt.Errorf("%w: no table %q", ErrNoSessions, t.name)
	}
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	there, err := strs(ctx, db, leastRoom, `SELECT name FROM pragma_table_info(?)`, t.name)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	for _, c := range t.needed {
		if !slices.Contains(there, c) {
			return nil, fmt.Errorf("%w: table %q has no column %q", ErrNoSessions, t.name, c)
		}
	}
	var columns []string
	for _, c := range t.columns {
		if slices.Contains(there, c) {
			columns = append(columns, c)
		}
	}
	return columns, nil
}

// rowQuery returns the query for one row by ID.
func rowQuery(k kind, columns []string) string {
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + tables[k].name + " WHERE id = ?"
}

// maxID is the maximum length of an ID in bytes; a longer one is read as empty.
const maxID = 1024

// intOf and idOf return expressions that convert a value of any type to an integer or an ID.
func intOf(expr string) string { return "CAST(coalesce(" + expr + ", 0) AS INTEGER)" }
func idOf(expr string) string {
	return fmt.Sprintf("CAST(iif(octet_length(%[1]s) <= %[2]d, %[1]s, '') AS TEXT)", expr, maxID)
}

// sizeOf returns an expression for the total size in bytes of the values of columns.
func sizeOf(columns []string) string {
	sizes := make([]string, len(columns))
	for i, c := range columns {
		sizes[i] = "coalesce(octet_length(" + c + "), 0)"
	}
	return strings.Join(sizes, " + ")
}

// strs returns a column of text; it is an error if there is not enough room.
func strs(ctx context.Context, db *sql.DB, left room, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		if err := left.take(int64(len(s))); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}
