package cli_test

import (
	"bytes"
	"encoding/json"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestJSONEncoder holds that no control reaches a terminal, and that a program reads what was written.
func TestJSONEncoder(t *testing.T) {
	for text, want := range map[string]string{
		"plain é € 日本 <b>":         `"plain é € 日本 <b>"`,
		"\x1b[31m\t":               `"\u001b[31m\t"`,
		"a\u009b31m\u009dtitle":    `"a\u009b31m\u009dtitle"`,
		"\x7f\u0080\u009f\u00a0":   `"\u007f\u0080\u009f` + "\u00a0" + `"`,
		"\u202a\u202e\u2066\u2069": `"\u202a\u202e\u2066\u2069"`,
	} {
		var out bytes.Buffer
		require.NoError(t, cli.NewJSONEncoder(&out).Encode(text))
		assert.Equal(t, want+"\n", out.String())
		var back string
		require.NoError(t, json.Unmarshal(out.Bytes(), &back))
		assert.Equal(t, text, back)
	}
	assert.ErrorIs(t, cli.NewJSONEncoder(failing{}).Encode("\x7f"), syscall.ENOSPC)
}
