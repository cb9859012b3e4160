package agentstreamreceiver

import (
	"github.com/tailspan/tailspan/redact"
)

// newRedactor makes what takes secrets out; nil if that is turned off.
func newRedactor(c *Config) (*redact.Redactor, error) {
	if !c.Redaction.Enabled {
		return nil, nil
	}
	s := redact.Settings{
		Names: c.Redaction.Names, Allow: c.Redaction.Allow,
		// What is not captured goes nowhere, so there is no need to look through it.
		DropInput: !c.Telemetry.Capture.ToolInput, DropOutput: !c.Telemetry.Capture.ToolOutput,
		SkipReasoning: !c.Telemetry.Capture.Reasoning, SkipPrompts: !c.Telemetry.Capture.Prompts,
	}
	for _, rule := range c.Redaction.Rules {
		s.Rules = append(s.Rules, redact.Rule{Name: rule.Name, Pattern: rule.Pattern, Keyword: rule.Keyword})
	}
	return redact.NewRedactor(s)
}
