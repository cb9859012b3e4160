package opencodetree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// walker converts files to rows and passes them on.
type walker struct {
	yield   func([]byte, error) bool
	stopped bool
	row     bytes.Buffer
}

// sessionRow is a row of table session. It leaves out what a file does not contain.
type sessionRow struct {
	Table     string `json:"table"`
	ID        string `json:"id"`
	ProjectID string `json:"project_id,omitempty"`
	ParentID  string `json:"parent_id,omitempty"`
	Directory string `json:"directory,omitempty"`
	Title     string `json:"title,omitempty"`
	Version   string `json:"version,omitempty"`
	Created   int64  `json:"time_created,omitempty"`
	Updated   int64  `json:"time_updated,omitempty"`
}

// dataRow is a row of table message or part.
type dataRow struct {
	Table     string `json:"table"`
	ID        string `json:"id"`
	MessageID string `json:"message_id,omitempty"`
	SessionID string `json:"session_id"`
	Data      string `json:"data"`
}

// session passes on a session and everything in it.
func (w *walker) session(s *session) {
	if s.raw != nil {
		w.emit(sessionRow{
			Table: "session", ID: s.id, ProjectID: s.info.ProjectID, ParentID: s.info.ParentID, Directory: s.info.Directory,
			Title: s.info.Title, Version: s.info.Version, Created: int64(s.info.Time.Created), Updated: int64(s.info.Time.Updated),
		})
	}
	messages := filepath.Join(s.tree.root, "message", s.id)
	for _, message := range ids(messages) {
		if w.stopped {
			return
		}
		if data := w.read(filepath.Join(messages, message+".json")); data != nil {
			w.emit(dataRow{Table: "message", ID: message, SessionID: s.id, Data: string(data)})
		}
		parts := s.tree.partFolder(s.id, message)
		for _, part := range ids(parts) {
			if w.stopped {
				return
			}
			if data := w.read(filepath.Join(parts, part+".json")); data != nil {
				w.emit(dataRow{Table: "part", ID: part, MessageID: message, SessionID: s.id, Data: string(data)})
			}
		}
	}
}

// emit passes on one row.
func (w *walker) emit(row any) {
	if w.stopped {
		return
	}
	w.row.Reset()
	enc := json.NewEncoder(&w.row)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(row); err != nil {
		w.fail(fmt.Errorf("encode row: %w", err))
		return
	}
	w.stopped = !w.yield(bytes.TrimSuffix(w.row.Bytes(), []byte("\n")), nil)
}

func (w *walker) fail(err error) {
	if !w.stopped {
		w.stopped = !w.yield(nil, err)
	}
}

// read returns the bytes of a file, or nil if it was removed or cannot be read; it yields the read error.
func (w *walker) read(path string) []byte {
	data, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		w.fail(err)
		return nil
	}
	return data
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // opening a pipe blocks until it has a writer
		return nil, fmt.Errorf("read file %q: not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read file %q: %w", path, err)
	}
	if len(data) > MaxFileBytes {
		return nil, fmt.Errorf("read file %q: more than %d bytes", path, MaxFileBytes)
	}
	return data, nil
}
