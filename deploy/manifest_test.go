package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const module = "github.com/tailspan/tailspan"

// component is an entry of the manifest.
type component struct {
	GoMod  string `yaml:"gomod"`
	Import string `yaml:"import"`
}

// path is what the builder imports.
func (c component) path() string {
	if c.Import != "" {
		return c.Import
	}
	name, _, _ := strings.Cut(c.GoMod, " ")
	return name
}

// manifest is the part of the builder's format that is used here.
type manifest struct {
	Dist       map[string]string `yaml:"dist"`
	Receivers  []component       `yaml:"receivers"`
	Processors []component       `yaml:"processors"`
	Exporters  []component       `yaml:"exporters"`
	Extensions []component       `yaml:"extensions"`
	Providers  []component       `yaml:"providers"`
	Replaces   []string          `yaml:"replaces"`
}

func (m *manifest) all() []component {
	return slices.Concat(m.Receivers, m.Processors, m.Exporters, m.Extensions, m.Providers)
}

func readManifest(t *testing.T) *manifest {
	t.Helper()
	m := &manifest{}
	readYAML(t, "otelcol-builder.yaml", m)
	return m
}

// readYAML decodes a file and takes no key that into has no field for.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	decoder := yaml.NewDecoder(f)
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(into), path)
}

func readText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

func TestManifestBuildsFromTheCheckout(t *testing.T) {
	m := readManifest(t)
	ours := 0
	for _, c := range m.all() {
		name, version, ok := strings.Cut(c.GoMod, " ")
		require.True(t, ok, "%q names no version", c.GoMod)
		if name != module {
			continue
		}
		ours++
		assert.Equal(t, "v0.0.0", version)
		assert.FileExists(t, filepath.Join("..", strings.TrimPrefix(c.Import, module), "factory.go"))
	}
	assert.Equal(t, 2, ours, "components of ours")
	require.Len(t, m.Replaces, 1)
	_, target, _ := strings.Cut(m.Replaces[0], " => ")
	require.True(t, strings.HasPrefix(target, "../"), "a path of one machine: %q", target)
	// The replace is seen from the folder of the generated module, output_path from the root.
	assert.Equal(t, "../go.mod", filepath.Join("..", m.Dist["output_path"], target, "go.mod"))
}

// TestManifestVersions holds all versions of the collector to each other: the builder in the Makefile, the manifest, and
// go.mod, so that tests run with what the collector is built of.
func TestManifestVersions(t *testing.T) {
	builder := regexp.MustCompile(`(?m)^OCB_VERSION := (v0\.\d+)\.\d+$`).FindStringSubmatch(readText(t, "../Makefile"))
	require.NotNil(t, builder)
	required := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\s(\S+) (v\S+)`).FindAllStringSubmatch(readText(t, "../go.mod"), -1) {
		required[m[1]] = m[2]
	}
	stable := ""
	for _, c := range readManifest(t).all() {
		name, version, _ := strings.Cut(c.GoMod, " ")
		if want, ok := required[name]; ok {
			assert.Equal(t, want, version, "%s in go.mod", name)
		}
		switch {
		case !strings.HasPrefix(name, "go.opentelemetry.io/collector/"):
		case strings.HasPrefix(version, "v0."):
			assert.True(t, strings.HasPrefix(version, builder[1]+"."), "%s does not fit the builder's %s", c.GoMod, builder[1])
		case stable == "":
			stable = version
		default:
			assert.Equal(t, stable, version, c.GoMod)
		}
	}
	assert.Equal(t, stable, required["go.opentelemetry.io/collector/pdata"], "pdata in go.mod and the providers of the manifest")
}
