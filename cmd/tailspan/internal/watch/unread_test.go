package watch_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/watch"
	"github.com/tailspan/tailspan/tail"
)

// TestUnread: what cannot be read is reported once, and in a notice until it or something below it was read.
func TestUnread(t *testing.T) {
	var reports []string
	changes := 0
	u := &watch.Unread{
		Clean:   func(s string) string { return strings.ReplaceAll(s, "secret", "***") },
		Report:  func(text string) { reports = append(reports, text) },
		Changed: func() { changes++ },
	}
	assert.Empty(t, u.Notice(80))
	folder := &fs.PathError{Op: "open", Path: "/home/me/.claude/projects/secret", Err: fs.ErrPermission}
	database := fmt.Errorf("open database %q: %w", "/home/me/x.db", errors.New("it is malformed"))
	for range 3 {
		u.Failed(folder.Path, folder, time.Second)
		u.Failed("/home/me/x.db", database, 0)
		u.Failed("/home/me/removed", &fs.PathError{Op: "open", Path: "/home/me/removed", Err: fs.ErrNotExist}, 0)
	}
	assert.Equal(t, []string{`cannot read "/home/me/.claude/projects/***": permission denied`, `cannot read "/home/me/x.db": it is malformed`}, reports)
	assert.Equal(t, "cannot read /home/me/.claude/projects/***: permission denied, and 1 more (tailspan doctor)", u.Notice(120))
	assert.Equal(t, "cannot read ….claude/projects/***: permission denied, and 1 more (tailspan doctor)", u.Notice(82))

	u.Read("/home/me/.claude/projects/secret2/a.jsonl", 1, 1)
	assert.Equal(t, 2, changes)
	u.Read("/home/me/.claude/projects/secret/a.jsonl", 1, 1)
	assert.Equal(t, 3, changes)
	view := &watch.View{Width: 50, Height: 6, Unread: u}
	assert.Equal(t, "\x1b[33mcannot read /home/me/x.db: it is malformed\x1b[m", view.Lines(nil)[1])
	u.Read("/home/me/x.db", 1, 1)
	assert.Empty(t, u.Notice(80))
	u.Failed("/home/me/x.db", database, 0)
	assert.Len(t, reports, 3, "it failed again")

	u.Closed("/home/me/x.db", tail.CloseReasonIdle)
	assert.Contains(t, u.Notice(80), "x.db")
	u.Closed("/home/me/x.db", tail.CloseReasonUnlinked)
	assert.Empty(t, u.Notice(80))
}
