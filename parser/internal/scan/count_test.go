package scan

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	for raw, want := range map[string]int64{
		"0": 0, "7": 7, "7.9": 7, "-1": 0, "-1e300": 0, "9007199254740992": 1 << 53, "9223372036854775807": 1 << 53, "1e308": 1 << 53,
	} {
		assert.Equal(t, want, Value{Kind: KindNumber, Raw: []byte(raw)}.Count(), raw)
	}
	assert.Zero(t, Value{Kind: KindString, Raw: []byte(`"7"`)}.Count(), "no number")
}
