package agentstreamreceiver

import (
	"github.com/tailspan/tailspan/redact"
)

// newRedactor makes what takes secrets out; nil if that is turned off.
func newRedactor(c *Config) (*redact.Redactor, error) {
	if !c.Redaction.Enabled {
		return nil, nil
	}
	capture := &c.Telemetry.Capture
	s := redact.Settings{
		Names: c.Redaction.Names, Allow: c.Redaction.Allow,
		// What is not captured goes nowhere, so there is no need to look through it.
		DropInput: !capture.ToolInput && !capture.Messages, DropOutput: !capture.ToolOutput && !capture.Messages,
		SkipReasoning: !capture.Reasoning && !capture.Messages, SkipPrompts: !capture.Prompts && !capture.Messages,
	}
	for _, rule := range c.Redaction.Rules {
		s.Rules = append(s.Rules, redact.Rule{Name: rule.Name, Pattern: rule.Pattern, Keyword: rule.Keyword})
	}
	return redact.NewRedactor(s)
}
