package agentstreamreceiver

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/confmap"
)

// Unmarshal reads the configuration. An identity that is a number or boolean in YAML is an error with advice: converting it
// would change it, since 007 is 7 and 1.10 is 1.1 by then.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(c); err != nil {
		return errors.Join(err, unquoted(conf.ToStringMap()))
	}
	return nil
}

// unquoted reports the identities that are not strings.
func unquoted(settings map[string]any) error {
	errs := unquotedOf("", settings)
	for _, list := range []string{"commands", "pipes"} {
		items, _ := settings[list].([]any)
		for i, item := range items {
			if m, ok := item.(map[string]any); ok {
				errs = append(errs, unquotedOf(fmt.Sprintf("%s[%d]::", list, i), m)...)
			}
		}
	}
	return errors.Join(errs...)
}

func unquotedOf(under string, settings map[string]any) (errs []error) {
	for _, name := range []string{"pipeline", "attributes"} {
		values, _ := settings[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			switch values[key].(type) {
			case int, int64, uint64, float64, bool:
				errs = append(errs, fmt.Errorf("%s%s::%s must be a string: quote its value", under, name, key))
			}
		}
	}
	return errs
}
