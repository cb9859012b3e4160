package doctor

// The test is in the package: a test cannot change the limits of the system.

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLimits(t *testing.T) {
	for _, tc := range []struct {
		name    string
		limits  limits
		folders int
		want    string // how the only problem begins
	}{
		{"enough", limits{watches: 8192, files: 1024}, 8192, ""},
		{"not known", limits{}, 1e6, ""},
		{"more folders than watches", limits{watches: 8192, files: 1024}, 8193, "few_watches: sessions are in 8193 folders, and 8192 can be watched: "},
		{"few open files", limits{watches: 8192, files: 64}, 1, "few_descriptors: 64 files can be open"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			problems := tc.limits.problems(tc.folders)
			if tc.want == "" {
				assert.Empty(t, problems)
				return
			}
			assert.Len(t, problems, 1)
			assert.Contains(t, problems[0], tc.want)
		})
	}
}
