package doctable_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/doctable"
)

const page = "# Page\n\n| not | this |\n|---|---|\n| `z` | z |\n\n## Records: of a line\n\nWords.\n\n| type | since | becomes |\n|---|---|---|\n" +
	"| `a`, `b` | 1.0 | Text |\n| `c` | 2.0 | ignored: `a` tells it |\n\n### Next\n\n| type | becomes |\n|---|---|\n| `d` | Text |\n" +
	"## Twice\n| type | becomes |\n| `a` | x |\n| `a` | y |\n## Ragged\n| type | becomes |\n| `a` | x | y |\n## Empty\n"

func TestRead(t *testing.T) {
	table, err := doctable.Read(page, "Records")
	require.NoError(t, err)
	assert.True(t, table.Has("b"))
	assert.False(t, table.Has("d"), "of the next table")
	becomes, err := table.Column("gives", "becomes")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "Text", "b": "Text", "c": "ignored: `a` tells it"}, becomes)
	_, err = table.Column("seen")
	assert.EqualError(t, err, `read table "Records": no column ["seen"], only ["type" "since" "becomes"]`)
}

func TestReadRefuses(t *testing.T) {
	for heading, want := range map[string]string{
		"Missing": `no such heading`, "Empty": "nothing under it", "Twice": `"a" is there twice`, "Ragged": `2 columns, but 3 in "| `,
	} {
		_, err := doctable.Read(page, heading)
		assert.ErrorContains(t, err, want)
	}
}
