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
)

// pinned is an image with a version of at least two numbers.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:\d+\.\d+[a-z0-9.-]*$`)

// readDockerfile gives the instructions of each stage that has a name.
func readDockerfile(t *testing.T) map[string][]string {
	t.Helper()
	stages, stage := map[string][]string{}, ""
	for _, line := range strings.Split(readText(t, "../Dockerfile"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if from, ok := strings.CutPrefix(line, "FROM "); ok {
			image, name, named := strings.Cut(from, " AS ")
			require.True(t, named, "%q has no name", line)
			if image != "scratch" {
				assert.Regexp(t, pinned, image)
			}
			stage = name
			continue
		}
		stages[stage] = append(stages[stage], line)
	}
	return stages
}

func TestDockerfile(t *testing.T) {
	stages := readDockerfile(t)
	goVersion := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readText(t, "../go.mod"))[1]
	assert.Contains(t, readText(t, "../Dockerfile"), "FROM golang:"+goVersion+"-", "the Go of go.mod")

	for name, lines := range stages {
		for _, line := range lines {
			copied, ok := strings.CutPrefix(line, "COPY ")
			if !ok {
				continue
			}
			words := strings.Fields(copied)
			if from, ok := strings.CutPrefix(words[0], "--from="); ok {
				assert.Contains(t, stages, from, line)
				continue
			}
			for _, source := range words[:len(words)-1] {
				_, err := os.Stat(filepath.Join("..", source))
				assert.NoError(t, err, "%s: %s", name, line)
			}
		}
		if name == "build" {
			continue
		}
		user := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "USER ") })
		require.GreaterOrEqual(t, user, 0, "%s runs as root", name)
		assert.Equal(t, "USER 65532:65532", lines[user], name)
	}
}

func TestSamples(t *testing.T) {
	samples := 0
	for path := range strings.Lines(readText(t, "samples.txt")) {
		if path = strings.TrimSpace(path); path != "" && !strings.HasPrefix(path, "#") {
			samples++
			assert.FileExists(t, filepath.Join("..", path))
		}
	}
	assert.NotZero(t, samples)
}
