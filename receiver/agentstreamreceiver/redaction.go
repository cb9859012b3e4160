package agentstreamreceiver

import (
	"github.com/tailspan/tailspan/redact"
)

// newRedactor returns nil if redaction is disabled.
func newRedactor(c *Config) (*redact.Redactor, error) {
	if !c.Redaction.Enabled {
		return nil, nil
	}
	capture := &c.Telemetry.Capture
	s := redact.Settings{
		Names: c.Redaction.Names, Allow: c.Redaction.Allow,
		// What is not captured is not exported, so it needs no redaction.
		DropInput: !capture.ToolInput && !capture.Messages, DropOutput: !capture.ToolOutput && !capture.Messages,
		SkipReasoning: !capture.Reasoning && !capture.Messages, SkipPrompts: !capture.Prompts && !capture.Messages,
	}
	for _, rule := range c.Redaction.Rules {
		s.Rules = append(s.Rules, redact.Rule{Name: rule.Name, Pattern: rule.Pattern, Keyword: rule.Keyword})
	}
	return redact.NewRedactor(s)
}
