package scan

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	for raw, want := range map[string]int64{
		"0": 0, "7": 7, "7.9": 7, "-1": 1 << 56, "-1e300": 1 << 56, "-0.5": 0, "9007199254740992": 1 << 53, "9223372036854775807": 1 << 56, "1e308": 1 << 56,
	} {
		assert.Equal(t, want, Value{Kind: KindNumber, Raw: []byte(raw)}.Count(), raw)
	}
	assert.Zero(t, Value{Kind: KindString, Raw: []byte(`"7"`)}.Count(), "no number")
}

func TestDuration(t *testing.T) {
	for raw, want := range map[string]time.Duration{
		"0": 0, "1.5": 1500 * time.Millisecond, "-2": -2 * time.Second, "1e300": math.MaxInt64, "1e999": math.MaxInt64, "-1e300": math.MinInt64,
	} {
		assert.Equal(t, want, Value{Kind: KindNumber, Raw: []byte(raw)}.Duration(time.Second), raw)
	}
	assert.Equal(t, time.Duration(math.MinInt64), Span(math.NaN(), time.Second))
}
