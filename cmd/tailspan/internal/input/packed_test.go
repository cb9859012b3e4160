package input_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
)

// TestPlainBeginningsAreNotWaitedFor checks that a first line is read at once, even if its first byte may begin compressed
// content, and that content that only begins like it is read as a line.
func TestPlainBeginningsAreNotWaitedFor(t *testing.T) {
	for _, tt := range []struct{ begin, want string }{{"{", "{"}, {"\x1f{}\n", "\x1f{}\n"}, {"(abc", "(abc"}} {
		in, agent := io.Pipe()
		s, err := input.Open(input.Stdin, in, io.Discard)
		require.NoError(t, err)
		wrote := make(chan error, 1)
		go func() {
			_, err := io.WriteString(agent, tt.begin) // agent stays open
			wrote <- err
		}()
		got := make([]byte, len(tt.want))
		_, err = io.ReadFull(s, got)
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(got))
		require.NoError(t, <-wrote)
		require.NoError(t, s.Close())
	}
}
