package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
)

func TestIdentityFromEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want map[string]string
	}{
		{"nothing", nil, map[string]string{}},
		{"resource attributes", map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "cicd.pipeline.name=a%20b, team = core,service.name=x,broken,bad=%zz"},
			map[string]string{"cicd.pipeline.name": "a b", "team": "core", "service.name": "x"}},
		{"service name", map[string]string{"OTEL_SERVICE_NAME": "nightly-agents", "OTEL_RESOURCE_ATTRIBUTES": "service.name=x,service.namespace=ci"},
			map[string]string{"service.name": "nightly-agents", "service.namespace": "ci"}},
		{"github", map[string]string{
			"GITHUB_ACTIONS": "true", "GITHUB_WORKFLOW": "CI", "GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_JOB": "fix",
			"GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "o/r", "GITHUB_REF_NAME": "main", "GITHUB_SHA": "abc"},
			map[string]string{
				"cicd.pipeline.name": "CI", "cicd.pipeline.run.id": "77-2", "cicd.pipeline.task.name": "fix", "vcs.ref.head.revision": "abc",
				"vcs.ref.head.name": "main", "vcs.repository.url.full": "https://git.example/o/r", "cicd.pipeline.run.url.full": "https://git.example/o/r/actions/runs/77"}},
		{"gitlab without a pipeline name", map[string]string{"GITLAB_CI": "true", "CI_PROJECT_PATH": "g/p", "CI_PIPELINE_ID": "5", "CI_JOB_NAME": "fix", "CI_JOB_ID": "9"},
			map[string]string{"cicd.pipeline.name": "g/p", "cicd.pipeline.run.id": "5", "cicd.pipeline.task.name": "fix", "cicd.pipeline.task.run.id": "9"}},
		{"jenkins", map[string]string{"JENKINS_URL": "x", "JOB_NAME": "j", "BUILD_NUMBER": "3", "STAGE_NAME": "s", "GIT_URL": "https://u:p@git.example/r"},
			map[string]string{"cicd.pipeline.name": "j", "cicd.pipeline.run.id": "3", "cicd.pipeline.task.name": "s", "vcs.repository.url.full": "https://git.example/r"}},
		{"buildkite", map[string]string{"BUILDKITE": "true", "BUILDKITE_PIPELINE_SLUG": "p", "BUILDKITE_BUILD_ID": "b", "BUILDKITE_LABEL": "l", "BUILDKITE_JOB_ID": "j"},
			map[string]string{"cicd.pipeline.name": "p", "cicd.pipeline.run.id": "b", "cicd.pipeline.task.name": "l", "cicd.pipeline.task.run.id": "j"}},
		{"github pull request", map[string]string{
			"GITHUB_ACTIONS": "true", "GITHUB_WORKFLOW": "CI", "GITHUB_REF": "refs/pull/27/merge", "GITHUB_REF_NAME": "27/merge", "GITHUB_HEAD_REF": "fix", "GITHUB_BASE_REF": "main"},
			map[string]string{"cicd.pipeline.name": "CI", "vcs.ref.head.name": "fix", "vcs.ref.base.name": "main", "vcs.change.id": "27"}},
		{"github branch", map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_REF": "refs/heads/pull/3", "GITHUB_REF_NAME": "pull/3"},
			map[string]string{"vcs.ref.head.name": "pull/3"}},
		{"gitlab merge request", map[string]string{
			"GITLAB_CI": "true", "CI_COMMIT_REF_NAME": "refs/merge-requests/8/head", "CI_MERGE_REQUEST_IID": "8",
			"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "fix", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"},
			map[string]string{"vcs.ref.head.name": "fix", "vcs.ref.base.name": "main", "vcs.change.id": "8"}},
		{"jenkins change", map[string]string{"JENKINS_URL": "x", "GIT_BRANCH": "PR-5", "CHANGE_ID": "5", "CHANGE_BRANCH": "fix", "CHANGE_TARGET": "main"},
			map[string]string{"vcs.ref.head.name": "fix", "vcs.ref.base.name": "main", "vcs.change.id": "5"}},
		{"buildkite pull request", map[string]string{"BUILDKITE": "true", "BUILDKITE_BRANCH": "fix", "BUILDKITE_PULL_REQUEST": "9", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"},
			map[string]string{"vcs.ref.head.name": "fix", "vcs.ref.base.name": "main", "vcs.change.id": "9"}},
		{"buildkite branch", map[string]string{"BUILDKITE": "true", "BUILDKITE_BRANCH": "main", "BUILDKITE_PULL_REQUEST": "false"},
			map[string]string{"vcs.ref.head.name": "main"}},
		{"resource attributes come first", map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "cicd.pipeline.name=mine", "GITHUB_ACTIONS": "1", "GITHUB_WORKFLOW": "CI"},
			map[string]string{"cicd.pipeline.name": "mine"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]string{}
			for _, a := range otlp.IdentityFromEnvironment(func(k string) string { return tt.env[k] }).Attributes() {
				got[a.Key] = a.Value
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestIdentityPrecedence(t *testing.T) {
	settings := otlp.NewIdentity(otlp.Attribute{Key: "a", Value: "1"}, otlp.Attribute{Key: "empty"})
	path := otlp.NewIdentity(otlp.Attribute{Key: "a", Value: "2"}, otlp.Attribute{Key: "b", Value: "3"}, otlp.Attribute{Key: "empty", Value: "4"})
	merged := settings.With(path)
	assert.Equal(t, []otlp.Attribute{{Key: "a", Value: "1"}, {Key: "b", Value: "3"}, {Key: "empty", Value: "4"}}, merged.Attributes())
}

func TestParseTraceParent(t *testing.T) {
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	p, err := otlp.ParseTraceParent(good)
	require.NoError(t, err)
	assert.Equal(t, "4bf92f3577b34da6a3ce929d0e0e4736", p.TraceID.String())
	assert.Equal(t, "00f067aa0ba902b7", p.SpanID.String())
	p, err = otlp.ParseTraceParent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more")
	require.NoError(t, err, "a later version may have more fields")
	assert.False(t, p.Empty())
	p, err = otlp.ParseTraceParent("")
	require.NoError(t, err)
	assert.True(t, p.Empty())
	for _, bad := range []string{
		"x", good + "-more", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		"00-4bf92f3577b34da6a3ce929d0e0e47zz-00f067aa0ba902b7-01",
	} {
		_, err := otlp.ParseTraceParent(bad)
		assert.Error(t, err, bad)
	}
}
