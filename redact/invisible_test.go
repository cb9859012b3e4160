package redact_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/redact"
)

// TestInvisible: a character that the readable log omits does not hide a secret, wherever it is.
func TestInvisible(t *testing.T) {
	r, err := redact.NewRedactor(redact.Settings{})
	require.NoError(t, err)
	secret := "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
	for _, hidden := range []string{
		"\u00ad", "\u034f", "\u061c", "\u115f", "\u17b4", "\u180e", "\u200b", "\u200c", "\u200d", "\u200e", "\u202e", "\u2060", "\u2066", "\u3164",
		"\ufe0f", "\ufeff", "\uffa0", "\ufffb", "\U0001d173", "\U000e0041", "\u200b\u00ad", "\x00",
	} {
		for at := 1; at < len(secret)/2; at++ { // after that, the part before it is a secret by itself
			text := "use " + secret[:at] + hidden + secret[at:] + " now"
			assert.Equal(t, "use [redacted:github] now", r.String(text), fmt.Sprintf("%+q at %d", hidden, at))
		}
	}
	for _, plain := range []string{"it’s — “fine”… 日本語 한국어 👩‍👩‍👧 ❤️ naïve \u200bx", "a\u00adb"} {
		assert.Equal(t, plain, r.String(plain))
	}
}
