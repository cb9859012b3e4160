//go:build unix

package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestQuietLinesAreSeen checks that a few lines of no known agent are shown once while their writer is silent.
func TestQuietLinesAreSeen(t *testing.T) {
	for _, args := range [][]string{{"render", "-"}, {"render", "--redact=false", "-"}, {"events", "-"}, {"events", "--redact", "-"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			in, stdin := io.Pipe()
			var out, stderr output
			code := make(chan int, 1)
			go func() { code <- run(args, in, &out, &stderr) }()
			_, err := io.WriteString(stdin, "loading\n")
			require.NoError(t, err)
			out.has(t, "loading")
			_, err = io.WriteString(stdin, "ready\n")
			require.NoError(t, err)
			require.NoError(t, stdin.Close())
			assert.Zero(t, <-code, stderr.String())
			assert.Equal(t, 1, strings.Count(out.String(), "loading"), out.String())
			assert.Equal(t, 1, strings.Count(out.String(), "ready"))
		})
	}
}
