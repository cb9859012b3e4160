package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMarks holds the marks to a list that is looked through: few, many, and of a limit below which there is no table.
func TestMarks(t *testing.T) {
	for _, limit := range []int{1, 2, fewMarks - 1, fewMarks, fewMarks + 1, leastTable, 100} {
		rng := rand.New(rand.NewPCG(uint64(limit), 5))
		m := marks{limit: limit}
		var list []uint64 // oldest first
		for range 20 * limit {
			mark := rng.Uint64N(uint64(3*limit)) * 0x9e3779b97f4a7c15
			known := false
			for _, one := range list {
				known = known || one == nonZero(mark)
			}
			require.Equal(t, known, m.has(mark), "limit %d", limit)
			var oldest uint64
			if !known {
				if len(list) == limit {
					oldest, list = list[0], list[1:]
				}
				list = append(list, nonZero(mark))
			}
			isNew, gone := m.add(mark)
			assert.Equal(t, !known, isNew, "limit %d", limit)
			assert.Equal(t, oldest, gone, "limit %d", limit)
		}
		assert.Equal(t, limit > fewMarks, m.table != nil, "limit %d", limit)
	}
}
