// The index is no part of the package's API, and what it has is not to be seen from outside.
package find

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/goldentest"
)

// TestChoices holds that choices.txt has what is chosen for the anchors that are built in; make golden writes it.
func TestChoices(t *testing.T) {
	all, err := anchors()
	require.NoError(t, err)
	chosen := newIndexBuilder().chooseAll(all, 0)
	goldentest.Compare(t, "choices.txt", formatChoices(all, chosen))
}

// TestIndexOfChoices holds that the index is the same with the choices of the file and without, and that those of other anchors are not
// used.
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
