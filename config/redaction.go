package config

// Redaction says which secrets are taken out of what leaves us.
type Redaction struct {
	// Enabled redacts secrets.
	Enabled bool `mapstructure:"enabled"`
	// Names are further names whose values are secret, beside those that are built in.
	Names []string `mapstructure:"names"`
	// Allow are RE2 patterns of values that stay.
	Allow []string `mapstructure:"allow"`
	// Rules are further patterns of secrets.
	Rules []RedactionRule `mapstructure:"rules"`
}

// RedactionRule is a pattern of secrets.
type RedactionRule struct {
	// Name is part of the marker that replaces the secret.
	Name string `mapstructure:"name"`
	// Pattern is an RE2 expression; its group, if it has one, is the secret.
	Pattern string `mapstructure:"pattern"`
	// Keyword is in every match; with one, the pattern costs nothing in texts without it.
	Keyword string `mapstructure:"keyword"`
}

// NewDefaultRedaction are the defaults.
func NewDefaultRedaction() Redaction { return Redaction{Enabled: true} }
