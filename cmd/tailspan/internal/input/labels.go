package input

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Labels gives several inputs short names, each its own. It serves one goroutine at a time.
type Labels struct {
	// Show, if set, returns what may be shown of the end of a path.
	Show   func(end string) string
	ends   map[string]int    // number of inputs by the end of their path
	labels map[string]string // by path
	owners map[string]string // path by label
}

// NewLabels returns the labels of the inputs, which become longer where the ends of two paths are equal. An input that is not among
// them gets a label that no earlier one has.
func NewLabels(paths []string) *Labels {
	l := &Labels{ends: map[string]int{}, labels: map[string]string{}, owners: map[string]string{}}
	for _, path := range paths {
		l.add(path)
	}
	return l
}

func (l *Labels) add(path string) {
	for _, end := range ends(path) {
		l.ends[end]++
	}
}

// Of returns the label of an input: its step, the name of its file, or a longer end of its path. step may be "".
func (l *Labels) Of(path, step string) string {
	if label, known := l.labels[path]; known {
		return label
	}
	all := ends(path)
	if l.ends[all[len(all)-1]] == 0 {
		l.add(path)
	}
	label := path
	if step != "" && l.owners[step] == "" {
		label = step
	} else {
		for _, end := range all {
			if l.ends[end] == 1 && l.owners[end] == "" {
				label = end
				break
			}
		}
	}
	if l.Show != nil && label != step && path != Stdin {
		label = l.free(l.Show(label))
	}
	l.labels[path], l.owners[label] = label, path
	return label
}

// free returns a label that no other input has: label itself, or with a number.
func (l *Labels) free(label string) string {
	numbered := label
	for n := 2; l.owners[numbered] != ""; n++ {
		numbered = fmt.Sprintf("%s-%d", label, n)
	}
	return numbered
}

// ends returns the ends of a path from the shortest to the whole, each without and with the extension of session files.
func ends(path string) []string {
	if path == Stdin {
		return []string{"standard input"}
	}
	slashed := filepath.ToSlash(path)
	var all []string
	for i := strings.LastIndexByte(slashed, '/'); ; i = strings.LastIndexByte(slashed[:i], '/') {
		end := slashed[i+1:]
		if stem, _, cut := strings.Cut(filepath.Base(path), ".json"); cut && stem != "" {
			all = append(all, end[:len(end)-len(filepath.Base(path))+len(stem)])
		}
		if all = append(all, end); i < 0 {
			return all
		}
	}
}
