// The index is not part of the package's API, and its content is not visible from outside.
package find

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/goldentest"
)

// TestChoices checks that choices.txt has the choices for the built-in anchors; make golden writes it.
func TestChoices(t *testing.T) {
	all, err := anchors()
	require.NoError(t, err)
	chosen := newIndexBuilder().chooseAll(all, 0)
	goldentest.Compare(t, "choices.txt", formatChoices(all, chosen))
}

// TestIndexOfChoices checks that the index is the same with and without the choices of the file, and that choices for other
// anchors are not used.
func TestIndexOfChoices(t *testing.T) {
	all, err := anchors()
	require.NoError(t, err)
	known := choicesOf(all)
	require.Len(t, known, 2*len(all))
	assert.Equal(t, newIndex(all, nil), newIndex(all, known))
	all[7].word += "x"
	assert.Empty(t, choicesOf(all))
}

func BenchmarkIndex(b *testing.B) {
	all, err := anchors()
	require.NoError(b, err)
	for b.Loop() {
		newIndex(all, choicesOf(all))
	}
}
