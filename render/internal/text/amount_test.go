package text_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
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

func TestUSD(t *testing.T) {
	for usd, want := range map[float64]string{
		0: "$0.00", 1e-6: "$0.0001", 0.0618: "$0.0618", 0.52: "$0.52", 0.99996: "$1.00", 14.0248: "$14.02", 1234567.891: "$1,234,567.89",
	} {
		assert.Equal(t, want, text.USD(usd, false))
		assert.Equal(t, "~"+want, text.USD(usd, true))
	}
}

func TestTokens(t *testing.T) {
	assert.Equal(t, "137,604 in (134,397 cached), 631 out", text.Tokens(&events.Tokens{Input: 137604, CacheRead: 134397, Output: 631}))
	assert.Equal(t, "950 in, 1,000 out", text.Tokens(&events.Tokens{Input: 950, Output: 1000}))
}

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 999_949: "999.9k", 999_950: "1.0M", 12_345_678: "12.3M"} {
		assert.Equal(t, want, text.Count(n))
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1_234_567: "1,234,567", -100: "-100", -1000: "-1,000"} {
		assert.Equal(t, want, text.Grouped(n))
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1m ago", 59*time.Minute + 59*time.Second: "59m ago", time.Hour: "1h ago",
		47 * time.Hour: "47h ago", 48 * time.Hour: "2d ago", 100 * 24 * time.Hour: "100d ago", -time.Hour: "just now",
	} {
		assert.Equal(t, want, text.Ago(d), d.String())
	}
}
