package program

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSum(t *testing.T) {
	tests := []struct {
		name, in string
		want     float64
		err      string
	}{
		{name: "nothing"},
		{name: "without labels", in: "x_lines_total 7\n", want: 7},
		{name: "without the suffix", in: "x_lines{a=\"b\"} 7\n", want: 7},
		{name: "over all labels", in: "x_lines_total{a=\"b c\"} 7\nx_lines_total{a=\"}\"} 1e1\n", want: 17},
		{name: "others", in: "# HELP x_lines_total 3\nx_lines_malformed_total 4\nmy_x_lines_total 5\nx_line 6\n\nx_lines_total\n"},
		{name: "no number", in: "x_lines_total{} seven\n", err: `parse metric "x_lines_total{} seven"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Sum(strings.NewReader(tt.in), "x_lines")
			if tt.err != "" {
				assert.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestGetTellsTheStatus(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := Get(t.Context(), server.URL)
	assert.ErrorContains(t, err, "404 Not Found")
}

func TestFreePort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	taken := listener.Addr().(*net.TCPAddr).Port

	got, err := FreePort(taken)
	require.NoError(t, err)
	assert.NotEqual(t, strconv.Itoa(taken), got, "it is in use")

	require.NoError(t, listener.Close())
	wished := false
	for range 10 { // another program may take it before we do
		wish, err := FreePort(0)
		require.NoError(t, err)
		number, err := strconv.Atoi(wish)
		require.NoError(t, err)
		assert.Less(t, number, 32768, "a port that the system gives to connections is soon taken")
		got, err = FreePort(number)
		require.NoError(t, err)
		wished = wished || got == wish
	}
	assert.True(t, wished, "a wish that is free is granted")
}
