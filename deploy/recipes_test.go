//go:build unix

package deploy_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.yaml.in/yaml/v3"

	"github.com/tailspan/tailspan/otlp"
)

// endpoint is an OpenTelemetry endpoint that keeps spans, by name, with the attributes of their resource.
type endpoint struct {
	*httptest.Server
	mu    sync.Mutex
	spans map[string]map[string]any
	ids   map[string]ptrace.Span
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{spans: map[string]map[string]any{}, ids: map[string]ptrace.Span{}}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-protobuf")
		if r.URL.Path != "/v1/traces" {
			return
		}
		var in io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			unpacked, err := gzip.NewReader(in)
			if !assert.NoError(t, err) {
				return
			}
			in = unpacked
		}
		body, err := io.ReadAll(in)
		request := ptraceotlp.NewExportRequest()
		if assert.NoError(t, err) && assert.NoError(t, request.UnmarshalProto(body)) {
			e.take(request.Traces())
		}
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) take(td ptrace.Traces) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				e.spans[span.Name()], e.ids[span.Name()] = rs.Resource().Attributes().AsRaw(), span
			}
		}
	}
}

// job is a CI job that can run scripts of a recipe.
type job struct {
	dir      string
	env      []string
	endpoint *endpoint
}

// newJob makes a job with a built tailspan, an agent that plays a recording back, and programs that install nothing.
func newJob(t *testing.T, recording string, variables map[string]string) *job {
	t.Helper()
	j := &job{dir: t.TempDir(), endpoint: newEndpoint(t)}
	bin := filepath.Join(j.dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "tailspan"), "../cmd/tailspan")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	lines, err := filepath.Abs(filepath.Join("..", "testdata", "claude", recording+".jsonl"))
	require.NoError(t, err)
	for name, script := range map[string]string{
		"claude": `case "$*" in *stream-json*) exec cat ` + lines + ` ;; *) echo "no stream: $*"; exit 9 ;; esac`,
		"go":     "exit 0", "npm": "exit 0", "apt-get": "exit 0",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	j.env = []string{
		"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + j.dir, "TMPDIR=" + j.dir, "CI=true", "OTEL_EXPORTER_OTLP_ENDPOINT=" + j.endpoint.URL,
		"TRACE_URL=https://traces.example/{trace_id}",
	}
	for name, value := range variables {
		j.env = append(j.env, name+"="+strings.ReplaceAll(value, "$DIR", j.dir))
	}
	return j
}

// run runs a script as the CI systems do, and returns its exit code and its log.
func (j *job) run(t *testing.T, shell []string, script string) (code int, log string) {
	t.Helper()
	c := exec.Command(shell[0], append(shell[1:], script)...)
	c.Dir, c.Env = j.dir, j.env
	out, err := c.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), string(out)
	}
	require.NoError(t, err, string(out))
	return 0, string(out)
}

// exported holds that the run of the agent is below its step, with the identity that the CI's variables have.
func (j *job) exported(t *testing.T, step string, resource map[string]any) {
	t.Helper()
	j.endpoint.mu.Lock()
	defer j.endpoint.mu.Unlock()
	run, above := j.endpoint.ids["invoke_agent claude-code"], j.endpoint.ids[step]
	require.Contains(t, j.endpoint.ids, step)
	assert.Equal(t, above.SpanID(), run.ParentSpanID())
	for key, want := range resource {
		assert.Equal(t, want, j.endpoint.spans["invoke_agent claude-code"][key], key)
	}
}

// githubStep is a step of a workflow.
type githubStep struct {
	Name, Run, If string
	Env           map[string]string
}

// fromContext are the variables that a step takes from GitHub's contexts, which are set in the job already.
var fromContext = regexp.MustCompile(`^\$\{\{ (vars|secrets)\.[A-Z_]+ \}\}$`)

func TestGitHubRecipe(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct{ Steps []githubStep }
	}
	require.NoError(t, yaml.Unmarshal([]byte(readText(t, "recipes/github.yml")), &workflow))
	require.Len(t, workflow.Jobs, 1)
	for recording, want := range map[string]struct {
		code    int
		verdict string
	}{"parity": {0, "ok"}, "denied": {1, "denied"}, "fatal-401": {1, "error"}} {
		t.Run(recording, func(t *testing.T) {
			j := newJob(t, recording, map[string]string{
				"GITHUB_ACTIONS": "true", "GITHUB_WORKFLOW": "agent", "GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "fix",
				"GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "o/r", "GITHUB_REF": "refs/pull/27/merge",
				"GITHUB_REF_NAME": "27/merge", "GITHUB_HEAD_REF": "fix-it", "GITHUB_BASE_REF": "main", "GITHUB_SHA": "abc",
				"RUNNER_TEMP": "$DIR", "GITHUB_STEP_SUMMARY": "$DIR/step-summary.md",
			})
			failed := 0
			for _, step := range workflow.Jobs["fix"].Steps {
				for _, value := range step.Env {
					assert.Regexp(t, fromContext, value)
				}
				if step.Run == "" || failed != 0 && step.If != "always()" {
					continue
				}
				code, log := j.run(t, []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"}, step.Run)
				if failed == 0 {
					failed = code
				}
				assert.NotRegexp(t, `(?m)^\s*::`, log)
			}
			assert.Equal(t, want.code, failed)
			page := readText(t, filepath.Join(j.dir, "step-summary.md"))
			assert.True(t, strings.HasPrefix(page, "### fix: "+want.verdict+"\n"), page)
			assert.Contains(t, page, "https://traces.example/")
			j.exported(t, "fix", map[string]any{
				otlp.AttrPipelineName: "agent", otlp.AttrPipelineRunID: "77", otlp.AttrTaskName: "fix", otlp.AttrVCSHeadName: "fix-it",
				otlp.AttrVCSBaseName: "main", otlp.AttrVCSChangeID: "27", otlp.AttrVCSRepositoryURL: "https://git.example/o/r",
			})
		})
	}
}

func TestGitLabRecipe(t *testing.T) {
	var file map[string]struct {
		BeforeScript []string `yaml:"before_script"`
		Script       []string
		Artifacts    struct {
			When  string
			Paths []string
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(readText(t, "recipes/gitlab.yml")), &file))
	for recording, want := range map[string]int{"parity": 0, "denied": 1} {
		t.Run(recording, func(t *testing.T) {
			j := newJob(t, recording, map[string]string{
				"GITLAB_CI": "true", "CI_PIPELINE_NAME": "agents", "CI_PIPELINE_ID": "5", "CI_JOB_NAME": "fix", "CI_JOB_ID": "9",
				"CI_PROJECT_URL": "https://git.example/g/p", "CI_COMMIT_REF_NAME": "refs/merge-requests/8/head", "CI_COMMIT_SHA": "abc",
				"CI_MERGE_REQUEST_IID": "8", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "fix-it", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
			})
			recipe := file["fix"]
			code, _ := j.run(t, []string{"bash", "-eo", "pipefail", "-c"}, strings.Join(append(recipe.BeforeScript, recipe.Script...), "\n"))
			assert.Equal(t, want, code)
			assert.Equal(t, "always", recipe.Artifacts.When)
			for _, path := range recipe.Artifacts.Paths {
				assert.Contains(t, readText(t, filepath.Join(j.dir, path)), "### fix: ")
			}
			j.exported(t, "fix", map[string]any{
				otlp.AttrPipelineName: "agents", otlp.AttrPipelineRunID: "5", otlp.AttrTaskRunID: "9", otlp.AttrVCSHeadName: "fix-it",
				otlp.AttrVCSBaseName: "main", otlp.AttrVCSChangeID: "8",
			})
		})
	}
}

func TestShellRecipe(t *testing.T) {
	script, err := filepath.Abs("recipes/ci.sh")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		variables map[string]string
		resource  map[string]any
	}{
		"by hand": {
			map[string]string{"PIPELINE": "my nightly", "RUN_ID": "7", "STEP": "fix"},
			map[string]any{otlp.AttrPipelineName: "my nightly", otlp.AttrPipelineRunID: "7"},
		},
		"Jenkins": {
			map[string]string{
				"JENKINS_URL": "https://jenkins.example", "JOB_NAME": "agents", "BUILD_NUMBER": "3", "STAGE_NAME": "fix", "GIT_BRANCH": "PR-5",
				"CHANGE_ID": "5", "CHANGE_BRANCH": "fix-it", "CHANGE_TARGET": "main",
			},
			map[string]any{otlp.AttrPipelineName: "agents", otlp.AttrVCSChangeID: "5", otlp.AttrVCSHeadName: "fix-it", otlp.AttrVCSBaseName: "main"},
		},
		"Buildkite": {
			map[string]string{
				"BUILDKITE": "true", "BUILDKITE_PIPELINE_SLUG": "agents", "BUILDKITE_BUILD_ID": "b1", "BUILDKITE_STEP_KEY": "fix", "BUILDKITE_JOB_ID": "j1",
				"BUILDKITE_BRANCH": "fix-it", "BUILDKITE_PULL_REQUEST": "9", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main",
			},
			map[string]any{otlp.AttrPipelineName: "agents", otlp.AttrVCSChangeID: "9", otlp.AttrVCSHeadName: "fix-it", otlp.AttrVCSBaseName: "main"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, "parity", c.variables)
			code, log := j.run(t, []string{"sh", script, "claude", "-p"}, "Fix the failing test.")
			assert.Zero(t, code, log)
			assert.Contains(t, log, "All tests pass now.")
			assert.Contains(t, readText(t, filepath.Join(j.dir, "agent.md")), "### fix: ok")
			j.exported(t, "fix", c.resource)
		})
	}
	var usage bytes.Buffer
	alone := exec.Command("sh", script)
	alone.Stderr = &usage
	assert.Error(t, alone.Run())
	assert.Contains(t, usage.String(), "usage: ci.sh AGENT")
}
