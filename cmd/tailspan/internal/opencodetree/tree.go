package opencodetree

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoTree is the error for a folder without sessions in a known layout.
var ErrNoTree = errors.New("no OpenCode sessions here")

// MaxFileBytes bounds the files that are read.
const MaxFileBytes = 64 << 20

// tree is a folder with a known layout.
type tree struct {
	root  string
	older bool // layout of versions up to 0.5
}

// session is a session's file, or a folder of messages without one.
type session struct {
	tree     tree
	id, path string
	raw      []byte
	info     sessionFile
}

// sessionFile holds the fields that are read of a session's file.
type sessionFile struct {
	ID        string `json:"id"`
	ProjectID string `json:"projectID"`
	ParentID  string `json:"parentID"`
	Directory string `json:"directory"`
	Title     string `json:"title"`
	Version   string `json:"version"`
	Time      struct {
		Created float64 `json:"created"`
		Updated float64 `json:"updated"`
	} `json:"time"`
}

// Rows yields the rows of all trees in a folder, each valid until the next. It yields an error for each file that it could not
// read and continues. The error of Rows itself is ErrNoTree or that of the folder.
func Rows(dir string) (iter.Seq2[[]byte, error], error) {
	trees, err := find(dir)
	if err != nil {
		return nil, err
	}
	return func(yield func([]byte, error) bool) {
		w := &walker{yield: yield}
		for _, s := range w.sessions(trees) {
			if w.stopped {
				return
			}
			w.session(&s)
		}
	}, nil
}

// find looks for trees wherever a folder can hold them, the newer layout first.
func find(dir string) ([]tree, error) {
	folder, err := os.Open(dir) // a folder that cannot be read is not one without sessions
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	info, err := folder.Stat()
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open tree %q: %w", dir, ErrNoTree)
	}
	places := []string{dir, filepath.Join(dir, "storage")}
	for _, parent := range []string{dir, filepath.Join(dir, "project")} {
		for _, e := range list(parent) {
			if e.IsDir() {
				places = append(places, filepath.Join(parent, e.Name(), "storage"))
			}
		}
	}
	var trees []tree
	for _, place := range places {
		switch {
		case isDir(place, "session", "info"):
			trees = append(trees, tree{root: filepath.Join(place, "session"), older: true})
		case isDir(place, "session") && isDir(place, "message"):
			trees = append(trees, tree{root: place})
		case isDir(place, "info") && isDir(place, "message"):
			trees = append(trees, tree{root: place, older: true})
		}
	}
	if len(trees) == 0 {
		return nil, fmt.Errorf("open tree %q: %w", dir, ErrNoTree)
	}
	slices.SortStableFunc(trees, func(a, b tree) int { return cmp.Compare(rank(a.older), rank(b.older)) })
	return trees, nil
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

func isDir(elem ...string) bool {
	info, err := os.Stat(filepath.Join(elem...))
	return err == nil && info.IsDir()
}

// list returns the entries of a folder sorted by name, or none if it cannot be read.
func list(dir string) []fs.DirEntry {
	entries, _ := os.ReadDir(dir)
	return entries
}

// ids returns the names of the JSON files in a folder without their extension, sorted.
func ids(dir string) []string {
	var all []string
	for _, e := range list(dir) {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			all = append(all, id)
		}
	}
	return all
}

// sessions lists the sessions of all trees in order.
func (w *walker) sessions(trees []tree) []session {
	var all []session
	seen := map[string]bool{}
	add := func(s session) {
		if !seen[s.id] {
			seen[s.id] = true
			all = append(all, s)
		}
	}
	for _, t := range trees {
		for _, folder := range t.sessionFolders() {
			for _, id := range ids(folder) {
				s := session{tree: t, id: id, path: filepath.Join(folder, id+".json")}
				if s.raw = w.read(s.path); s.raw != nil && json.Unmarshal(s.raw, &s.info) != nil {
					s.info = sessionFile{}
				}
				add(s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b session) int {
		return cmp.Or(
			cmp.Compare(rank(a.info.ParentID != ""), rank(b.info.ParentID != "")),
			cmp.Compare(a.info.Time.Created, b.info.Time.Created),
			cmp.Compare(a.id, b.id),
		)
	})
	for _, t := range trees {
		for _, e := range list(filepath.Join(t.root, "message")) {
			if e.IsDir() {
				add(session{tree: t, id: e.Name()})
			}
		}
	}
	return all
}

// sessionFolders returns the folders that hold session files.
func (t tree) sessionFolders() []string {
	if t.older {
		return []string{filepath.Join(t.root, "info")}
	}
	var folders []string
	for _, e := range list(filepath.Join(t.root, "session")) {
		if e.IsDir() {
			folders = append(folders, filepath.Join(t.root, "session", e.Name()))
		}
	}
	return folders
}

// partFolder returns the folder that holds the parts of a message.
func (t tree) partFolder(session, message string) string {
	if t.older {
		return filepath.Join(t.root, "part", session, message)
	}
	return filepath.Join(t.root, "part", message)
}
