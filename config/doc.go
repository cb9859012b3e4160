// Package config defines the settings that the receiver, the exporter and the command share, with their defaults and checks.
// The mapstructure tags are the keys in the collector's YAML.
//
// Check methods return everything that is wrong at once; each error names the key and the value. They are not called Validate,
// because the collector calls a method of that name on every part of a configuration: it would report each error a second
// time, under the name of a Go field that is not a key.
//
// The package does not know what the settings do. Limits are in the units that their comments state.
package config
