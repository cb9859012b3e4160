package folder_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/session/folder"
)

func TestTextMark(t *testing.T) {
	for _, tt := range []struct {
		name, text, in string
		want           bool
	}{
		{"whole", "look at a.go", "look at a.go", true},
		{"at the beginning", "look", "look at a.go", true},
		{"at the end", "a.go", "look at a.go", true},
		{"in the middle", "at", "look at a.go", true},
		{"not", "b.go", "look at a.go", false},
		{"other order", "go.a", "look at a.go", false},
		{"longer", "look at a.go and b.go", "look at a.go", false},
		{"empty", "", "look at a.go", false},
		{"in nothing", "a", "", false},
		{"long", strings.Repeat("ü", 5000), "x" + strings.Repeat("ü", 6000), true},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, folder.MarkOf(tt.text).In(tt.in)) })
	}
}
