package deploy_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compose is the part of the Compose specification that is used here; another key is an error until this knows it.
type compose struct {
	Services map[string]service `yaml:"services"`
	Volumes  map[string]any     `yaml:"volumes"`
}

type service struct {
	Image string `yaml:"image"`
	Build *struct {
		Context string `yaml:"context"`
		Target  string `yaml:"target"`
	} `yaml:"build"`
	Environment map[string]string `yaml:"environment"`
	Volumes     []string          `yaml:"volumes"`
	Ports       []string          `yaml:"ports"`
	DependsOn   []string          `yaml:"depends_on"`
	Restart     string            `yaml:"restart"`
}

// pinned is an image with a version of at least two numbers.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:\d+\.\d+[a-z0-9.-]*$`)

func TestCompose(t *testing.T) {
	c := &compose{}
	readYAML(t, "../docker-compose.yaml", c)
	stages := readDockerfile(t)
	assert.ElementsMatch(t, []string{"collector", "jaeger", "replay"}, slices.Collect(maps.Keys(c.Services)))

	mounted := map[string]bool{}
	for name, s := range c.Services {
		if s.Build == nil {
			assert.Regexp(t, pinned, s.Image, name)
		} else {
			assert.Empty(t, s.Image, "%s has an image and a build", name)
			assert.Equal(t, ".", s.Build.Context, name)
			assert.Contains(t, stages, s.Build.Target, name)
		}
		for _, other := range s.DependsOn {
			assert.Contains(t, c.Services, other, "%s depends on it", name)
		}
		for _, port := range s.Ports {
			assert.Regexp(t, `^127\.0\.0\.1:\d+:\d+$`, port, "%s is open to the network", name)
		}
		for _, mount := range s.Volumes {
			source, target, ok := strings.Cut(mount, ":")
			require.True(t, ok, "%s: %q", name, mount)
			if strings.HasPrefix(source, ".") {
				assert.FileExists(t, filepath.Join("..", source), name)
				continue
			}
			mounted[source] = true
			assert.Contains(t, c.Volumes, source, name)
			// An empty volume takes the owner of the folder that it is first mounted on.
			folder, _, _ := strings.Cut(target, ":")
			require.NotNil(t, s.Build, name)
			assert.Contains(t, strings.Join(stages[s.Build.Target], "\n"), "--chown=65532:65532 /empty"+folder+" "+folder, "%s may not own %s", name, folder)
		}
	}
	for name := range c.Volumes {
		assert.True(t, mounted[name], "volume %s is used by nobody", name)
	}
	var config collectorConfig
	readYAML(t, "config/docker.yaml", &config)
	assert.Contains(t, c.Services, "jaeger", "config/docker.yaml sends to it")
	assert.Equal(t, "jaeger:4317", config.Exporters["otlp_grpc"].(map[string]any)["endpoint"])
}

func TestComposeByItsOwnProgram(t *testing.T) {
	for _, program := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(program[0], append(program[1:], "version")...).Run() != nil {
			continue
		}
		out, err := exec.Command(program[0], append(program[1:], "-f", "../docker-compose.yaml", "config", "--quiet")...).CombinedOutput()
		assert.NoError(t, err, string(out))
		return
	}
	t.Skip("neither docker compose nor docker-compose is installed; TestCompose has looked at the structure")
}

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

func TestReplay(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh on this system; the script runs in a container")
	}
	samples, sessions := t.TempDir(), t.TempDir()
	// A backslash, blanks at both ends, and a last line without its newline must come through.
	const odd, plain = "{\"a\":\"\\n\"}\n  {} \n\n{\"b\":1}", "{}\n"
	oddPath, plainPath, list := filepath.Join(samples, "odd.jsonl"), filepath.Join(samples, "plain.jsonl"), filepath.Join(samples, "list")
	require.NoError(t, os.WriteFile(oddPath, []byte(odd), 0o600))
	require.NoError(t, os.WriteFile(plainPath, []byte(plain), 0o600))
	require.NoError(t, os.WriteFile(list, []byte("# two\n\n"+oddPath+"\n"+plainPath+"\n"), 0o600))

	replay := exec.Command(shell, "replay.sh", list, sessions)
	replay.Env = append(os.Environ(), "PAUSE=0")
	out, err := replay.CombinedOutput()
	require.NoError(t, err, string(out))

	written, err := filepath.Glob(filepath.Join(sessions, "replay", "*", "*"))
	require.NoError(t, err)
	require.Len(t, written, 2)
	assert.Equal(t, odd+"\n", readText(t, written[0]))
	assert.Equal(t, plain, readText(t, written[1]))

	require.NoError(t, os.Remove(plainPath))
	assert.Error(t, exec.Command(shell, "replay.sh", list, sessions).Run(), "a sample is gone")
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
