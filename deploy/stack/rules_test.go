package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// rules is a file of alert rules; tests is one of their unit tests.
type (
	rules struct {
		Groups []struct {
			Rules []struct {
				Alert string `yaml:"alert"`
				Expr  string `yaml:"expr"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	ruleTests struct {
		Tests []struct {
			AlertRuleTest []struct {
				AlertName string `yaml:"alertname"`
				ExpAlerts []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		} `yaml:"tests"`
	}
)

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}

// TestEveryRuleIsTested checks that each rule has a unit test in which it fires and one in which it does not.
func TestEveryRuleIsTested(t *testing.T) {
	var all rules
	var tests ruleTests
	readYAML(t, "config/rules/tailspan.rules.yaml", &all)
	readYAML(t, "config/rules/tailspan.test.yaml", &tests)
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range tests.Tests {
		for _, a := range test.AlertRuleTest {
			fires[a.AlertName] = fires[a.AlertName] || len(a.ExpAlerts) > 0
			silent[a.AlertName] = silent[a.AlertName] || len(a.ExpAlerts) == 0
		}
	}
	count := 0
	for _, group := range all.Groups {
		for _, rule := range group.Rules {
			count++
			assert.True(t, fires[rule.Alert], "%s fires in no test", rule.Alert)
			assert.True(t, silent[rule.Alert], "%s is silent in no test", rule.Alert)
		}
	}
	assert.NotZero(t, count)
}

// TestRules runs the unit tests of the rules with Prometheus' promtool. The Makefile installs it from Debian.
func TestRules(t *testing.T) {
	promtool := os.Getenv("TAILSPAN_PROMTOOL")
	if promtool == "" {
		var err error
		if promtool, err = exec.LookPath("promtool"); err != nil {
			t.Skip("promtool is not installed; on Debian make test unpacks it")
		}
	}
	for _, args := range [][]string{
		{"check", "rules", "tailspan.rules.yaml"},
		{"test", "rules", "tailspan.test.yaml"},
	} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = filepath.Join("config", "rules")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}
