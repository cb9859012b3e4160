package dashboards_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/deploy/stack/dashboards"
)

func TestMain(m *testing.M) {
	plugins.RegisterDefaultPlugins()
	dashboards.Register()
	os.Exit(m.Run())
}

// TestFiles checks that the committed files are up to date and that each is a valid dashboard, without fields that Grafana does
// not know and without missing ones.
func TestFiles(t *testing.T) {
	folder := filepath.Join("..", "grafana", "dashboards")
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	assert.Len(t, files, len(dashboards.All()))
	for _, board := range dashboards.All() {
		t.Run(board.UID, func(t *testing.T) {
			built, err := board.Build()
			require.NoError(t, err)
			require.NoError(t, built.Validate())
			text, err := json.MarshalIndent(built, "", "  ")
			require.NoError(t, err)
			committed, err := os.ReadFile(filepath.Join(folder, board.UID+".json"))
			require.NoError(t, err)
			require.Equal(t, string(committed), string(text)+"\n", "make dashboards writes it")

			var read dashboard.Dashboard
			require.NoError(t, found(read.UnmarshalJSONStrict(committed)))
			require.NoError(t, read.Validate())
		})
	}
}

// found returns nil for the empty list of errors that the SDK (v0.0.22) returns for a valid dashboard.
func found(err error) error {
	var list cog.BuildErrors
	if errors.As(err, &list) && len(list) == 0 {
		return nil
	}
	return err
}

// TestStrict checks that TestFiles would find an invalid field.
func TestStrict(t *testing.T) {
	committed, err := os.ReadFile(filepath.Join("..", "grafana", "dashboards", "tailspan-run.json"))
	require.NoError(t, err)
	for old, wrong := range map[string]string{
		`"queryType": "instant"`: `"kueryType": "instant"`,
		`"showHeader": true`:     `"showHeader": "yes"`,
		`"title": "Log",`:        `"title": "Log", "titel": "Log",`,
	} {
		broken := strings.ReplaceAll(string(committed), old, wrong)
		require.NotEqual(t, string(committed), broken, old)
		var read dashboard.Dashboard
		assert.Error(t, found(read.UnmarshalJSONStrict([]byte(broken))), wrong)
	}
}

var variable = regexp.MustCompile(`\$(\w+)`)

func TestQueries(t *testing.T) {
	uids := map[string]bool{}
	for _, board := range dashboards.All() {
		assert.False(t, uids[board.UID], "%s is there twice", board.UID)
		uids[board.UID] = true
		built, err := board.Build()
		require.NoError(t, err)
		known := map[string]bool{"__range": true, "__rate_interval": true}
		for _, v := range built.Templating.List {
			known[v.Name] = true
		}
		titles := map[string]bool{}
		for _, panel := range board.Panels() {
			assert.False(t, titles[panel.Title], "%s: %s is there twice", board.UID, panel.Title)
			titles[panel.Title] = true
			assert.NotEmpty(t, panel.Queries, panel.Title)
			for _, query := range panel.Queries {
				assert.Equal(t, query.Source, panel.Queries[0].Source, "%s: one source a panel", panel.Title)
				for _, used := range variable.FindAllStringSubmatch(query.Expr, -1) {
					assert.True(t, known[used[1]], "%s: $%s is no variable", panel.Title, used[1])
				}
			}
		}
	}
}

// TestDataSources checks that the dashboards use the provisioned data sources.
func TestDataSources(t *testing.T) {
	provisioned, err := os.ReadFile(filepath.Join("..", "grafana", "provisioning", "datasources", "stack.yaml"))
	require.NoError(t, err)
	for _, source := range []dashboards.Source{dashboards.Metrics, dashboards.Logs, dashboards.Traces} {
		assert.Contains(t, string(provisioned), "\n    uid: "+string(source)+"\n")
	}
	for _, board := range dashboards.All() {
		for _, panel := range board.Panels() {
			for _, query := range panel.Queries {
				assert.False(t, strings.Contains(query.Expr, "$__interval"), "%s: $__rate_interval has at least four scrapes", panel.Title)
			}
		}
	}
}
