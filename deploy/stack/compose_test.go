package main_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/deploy/stack/servers"
)

const root = "../.."

// readCompose reads docker-compose.yaml as docker compose does.
func readCompose(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yaml")}, cli.WithName("tailspan"), cli.WithResolvedPaths(true))
	require.NoError(t, err)
	project, err := options.LoadProject(context.Background())
	require.NoError(t, err)
	return project
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return string(text)
}

// pinned matches an image with a three-part version.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:v?\d+\.\d+\.\d+$`)

func TestCompose(t *testing.T) {
	project, dockerfile := readCompose(t), readText(t, "Dockerfile")
	assert.ElementsMatch(t, []string{"agents", "collector", "grafana", "jaeger", "victorialogs", "victoriametrics", "vmalert"}, project.ServiceNames())
	mounted := map[string]bool{}
	for name, s := range project.Services {
		if s.Build == nil {
			assert.Regexp(t, pinned, s.Image, name)
		} else {
			assert.Empty(t, s.Image, "%s has an image and a build", name)
			assert.Contains(t, dockerfile, " AS "+s.Build.Target+"\n", name)
		}
		assert.Empty(t, s.User, "%s: the image decides", name)
		assert.False(t, s.Privileged, name)
		for _, port := range s.Ports {
			assert.Equal(t, "127.0.0.1", port.HostIP, "%s is open to the network", name)
		}
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				_, err := os.Stat(v.Source)
				assert.NoError(t, err, name)
				assert.True(t, v.ReadOnly, "%s may change %s", name, v.Source)
				continue
			}
			mounted[v.Source] = true
			if s.Build != nil {
				assert.Contains(t, dockerfile, "--chown=65532:65532 /empty"+v.Target+" "+v.Target, "%s may not own %s", name, v.Target)
			}
		}
	}
	for name := range project.Volumes {
		assert.True(t, mounted[name], "nobody uses volume %s", name)
	}
	collector := project.Services["collector"]
	require.NotNil(t, collector.HealthCheck)
	assert.Contains(t, dockerfile, `"`+strings.Join(collector.HealthCheck.Test[1:], `", "`)+`"`, "the check of the image")
	assert.Equal(t, types.ServiceConditionHealthy, project.Services["agents"].DependsOn["collector"].Condition)
}

// TestComposeRunsWhatMakeStackRuns checks that containers and processes have the same versions and flags.
func TestComposeRunsWhatMakeStackRuns(t *testing.T) {
	project, makefile := readCompose(t), readText(t, "Makefile")
	for name, flags := range map[string][]string{
		"victorialogs": servers.VictoriaLogsFlags, "victoriametrics": servers.VictoriaMetricsFlags, "vmalert": servers.VMAlertFlags,
	} {
		assert.Subset(t, project.Services[name].Command, flags, name)
	}
	for name, variable := range map[string]string{"victorialogs": "VICTORIALOGS_VERSION", "victoriametrics": "VICTORIAMETRICS_VERSION", "vmalert": "VICTORIAMETRICS_VERSION"} {
		_, version, _ := strings.Cut(project.Services[name].Image, ":")
		assert.Contains(t, makefile, variable+" := "+version+"\n", name)
	}
}

// TestAddresses checks that a service listens on each address that names one.
func TestAddresses(t *testing.T) {
	project := readCompose(t)
	listen := map[string]string{
		"jaeger:4317": "jaeger", "jaeger:16686": "jaeger", "victorialogs:9428": "victorialogs", "victoriametrics:8428": "victoriametrics",
		"vmalert:8880": "vmalert", "collector:8888": "collector", "collector:4318": "collector",
	}
	names := slices.Sorted(maps.Keys(project.Services))
	address := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `):(\d{4,5})\b`)
	found := map[string]bool{}
	for _, path := range []string{"docker-compose.yaml", "deploy/config/stack.yaml", "deploy/stack/grafana/provisioning/datasources/stack.yaml"} {
		for _, at := range address.FindAllString(readText(t, path), -1) {
			assert.Contains(t, listen, at, path)
			found[at] = true
		}
	}
	for at := range listen {
		assert.True(t, found[at], "%s is named nowhere", at)
	}
}

func TestComposeByItsOwnProgram(t *testing.T) {
	for _, program := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(program[0], append(program[1:], "version")...).Run() != nil {
			continue
		}
		out, err := exec.Command(program[0], append(program[1:], "-f", filepath.Join(root, "docker-compose.yaml"), "config", "--quiet")...).CombinedOutput()
		assert.NoError(t, err, string(out))
		return
	}
	t.Skip("neither docker compose nor docker-compose is installed; TestCompose has read the file with compose-go")
}
