package config

// Redaction configures which secrets are removed from exported data.
type Redaction struct {
	// Enabled redacts secrets.
	Enabled bool `mapstructure:"enabled"`
	// Names are additional names whose values are secret, besides the built-in ones.
	Names []string `mapstructure:"names"`
	// Allow are RE2 patterns of values that are not redacted.
	Allow []string `mapstructure:"allow"`
	// Rules are additional patterns of secrets.
	Rules []RedactionRule `mapstructure:"rules"`
}

// RedactionRule is a pattern of secrets.
type RedactionRule struct {
	// Name is part of the marker that replaces the secret.
	Name string `mapstructure:"name"`
	// Pattern is an RE2 expression. Its group, if it has one, is the secret.
	Pattern string `mapstructure:"pattern"`
	// Keyword is text that every match contains. With it, the pattern costs nothing in texts without the keyword.
	Keyword string `mapstructure:"keyword"`
}

// NewDefaultRedaction returns the defaults.
func NewDefaultRedaction() Redaction { return Redaction{Enabled: true} }
