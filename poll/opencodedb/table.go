package opencodedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoSessions: the database is not one of OpenCode's.
var ErrNoSessions = errors.New("no OpenCode sessions here")

// kind is one of the tables that are read.
type kind uint8

const (
	kindSession kind = iota
	kindMessage
	kindPart
	kindEnd
)

// table is what is read of one.
type table struct {
	name string
	// columns in the order in which they are returned. What a version of the database does not have is left out, what is
	// not named here is not read; share_url is not, since who has it can read the session.
	columns []string
	// needed are the columns without which it is not OpenCode's.
	needed []string
}

// tables are all that is ever asked of a database.
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

// columnsOf returns the columns of a table that are there and read.
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

// rowQuery asks for one row by its id.
func rowQuery(k kind, columns []string) string {
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + tables[k].name + " WHERE id = ?"
}

// maxID is the longest id in bytes; a longer one is read as none.
const maxID = 1024

// intOf and idOf ask for a value that may be of any type as one of ours.
func intOf(expr string) string { return "CAST(coalesce(" + expr + ", 0) AS INTEGER)" }
func idOf(expr string) string {
	return fmt.Sprintf("CAST(iif(octet_length(%[1]s) <= %[2]d, %[1]s, '') AS TEXT)", expr, maxID)
}

// sizeOf asks how many bytes the values of columns have.
func sizeOf(columns []string) string {
	sizes := make([]string, len(columns))
	for i, c := range columns {
		sizes[i] = "coalesce(octet_length(" + c + "), 0)"
	}
	return strings.Join(sizes, " + ")
}

// strs returns a column of text, as far as there is room.
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
