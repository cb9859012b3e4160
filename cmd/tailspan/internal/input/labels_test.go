package input_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/names"
)

// TestLabels: each of several inputs has a label of its own, the shortest one.
func TestLabels(t *testing.T) {
	for _, tc := range []struct {
		name  string
		known []string // before the first label
		steps []string // of paths, by position
		paths []string
		want  []string
	}{
		{"files", []string{"a.jsonl", "x/b.json.gz"}, nil, []string{"a.jsonl", "x/b.json.gz"}, []string{"a", "b"}},
		{"one name in two folders", []string{"1/fix.jsonl", "2/fix.jsonl"}, nil, []string{"1/fix.jsonl", "2/fix.jsonl"}, []string{"1/fix", "2/fix"}},
		{"two extensions", []string{"x/a.jsonl", "x/a.json"}, nil, []string{"x/a.jsonl", "x/a.json"}, []string{"a.jsonl", "a.json"}},
		{"one below the other", []string{"a.jsonl", "x/a.jsonl"}, nil, []string{"a.jsonl", "x/a.jsonl"}, []string{"a.jsonl", "x/a"}},
		{"standard input", []string{"-", "a"}, nil, []string{"-", "a"}, []string{"standard input", "a"}},
		{"only an extension", []string{"x/.json", "y/b"}, nil, []string{"x/.json", "y/b"}, []string{".json", "b"}},
		{"steps", []string{"1", "2", "3"}, []string{"fix", "fix", ""}, []string{"1", "2", "3"}, []string{"fix", "2", "3"}},
		{"a step as a file", []string{"fix", "x/a"}, []string{"", "fix"}, []string{"fix", "x/a"}, []string{"fix", "a"}},
		{"later ones", nil, nil, []string{"/1/fix.jsonl", "/2/fix.jsonl", "/1/fix.jsonl"}, []string{"fix", "2/fix", "fix"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			labels := input.NewLabels(tc.known)
			for i, path := range tc.paths {
				step := ""
				if i < len(tc.steps) {
					step = tc.steps[i]
				}
				assert.Equal(t, tc.want[i], labels.Of(path, step), path)
			}
		})
	}
}

// TestLabelsThatAreShown: what a log may not show of the ends of paths is in no label, and the labels are still different.
func TestLabelsThatAreShown(t *testing.T) {
	paths := []string{"1/fix.jsonl", "2/fix.jsonl", "2/my plan.jsonl", "3/my other plan.jsonl", "4/build.jsonl"}
	labels := input.NewLabels(paths)
	labels.Show = names.Name
	var got []string
	for i, path := range paths {
		got = append(got, labels.Of(path, []string{"", "", "", "", "the step"}[i]))
	}
	assert.Equal(t, []string{"fix", "fix-2", "unknown", "unknown-2", "the step"}, got)
	assert.Equal(t, "fix-2", labels.Of(paths[1], ""))
}
