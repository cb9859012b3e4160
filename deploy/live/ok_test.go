package live

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/mockmodel"
)

func TestLook(t *testing.T) {
	root := os.Getenv("TAILSPAN_CLIS")
	if root == "" {
		t.Skip("TAILSPAN_CLIS is not set: make live installs the CLIs and runs this test")
	}
	for _, c := range clis {
		t.Run(c.provider, func(t *testing.T) {
			server, err := mockmodel.Start(func(q *mockmodel.Request) mockmodel.Turn {
				if len(q.Tools) == 0 {
					return mockmodel.Turn{Text: "aside", Tokens: mockmodel.Tokens{Input: 5, Output: 1}}
				}
				switch q.Steps {
				case 0:
					return mockmodel.Turn{Text: "I run it.", Calls: []mockmodel.Call{c.call("shell", "echo hello")}, Tokens: mockmodel.Tokens{Input: 100, Output: 20, CacheRead: 40}}
				default:
					return mockmodel.Turn{Text: "Done.", Tokens: mockmodel.Tokens{Input: 150, Output: 10, CacheRead: 90}}
				}
			})
			require.NoError(t, err)
			defer server.Close()
			home, work := t.TempDir(), t.TempDir()
			env := c.home(t, home, server.URL())
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			path := "/usr/local/bin:/usr/bin:/bin"
			if node := os.Getenv("TAILSPAN_NODE22"); c.node22 && node != "" {
				path = node + ":" + path
			}
			found, _ := filepath.Glob(filepath.Join(root, "*", "node_modules", ".bin", c.program))
			require.NotEmpty(t, found)
			cmd := exec.CommandContext(ctx, found[0], c.args("say hello")...)
			cmd.Dir, cmd.Env = work, append(env, "HOME="+home, "PATH="+path, "TERM=dumb", "NO_COLOR=1", "XDG_CONFIG_HOME="+home+"/.config", "XDG_DATA_HOME="+home+"/.local/share")
			out, err := cmd.CombinedOutput()
			t.Logf("%s: %v\n%s", c.provider, err, out)
			for _, s := range server.Served() {
				t.Logf("served %s %s steps %d tools %d prompt %.60q results %.60q", s.Request.API, s.Request.Model, s.Request.Steps, len(s.Request.Tools), s.Request.Prompt, s.Request.Results)
			}
			t.Logf("other %q", server.Other())
		})
	}
}
