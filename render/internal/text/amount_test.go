package text_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/render/internal/text"
)

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 340 * time.Millisecond: "340ms", 4123 * time.Millisecond: "4.1s", 59940 * time.Millisecond: "59.9s",
		59960 * time.Millisecond: "1m00s", 62 * time.Second: "1m02s", 3599600 * time.Millisecond: "1h00m", 3*time.Hour + 5*time.Minute: "3h05m",
	} {
		assert.Equal(t, want, text.Short(d), d.String())
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 999_949: "999.9k", 999_950: "1.0M", 12_345_678: "12.3M"} {
		assert.Equal(t, want, text.Count(n))
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1_234_567: "1,234,567", -100: "-100", -1000: "-1,000"} {
		assert.Equal(t, want, text.Grouped(n))
	}
}
