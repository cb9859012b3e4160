// Package config holds the settings that the receiver, the exporter and the command share, their defaults and their
// checks. The mapstructure tags are the keys of the collector's YAML.
//
// Check methods report everything that is wrong at once, each error naming the key and the value. They are not called
// Validate, since the collector calls a method of that name of every part of a configuration: it would report each error a
// second time, under the name of a Go field that is no key.
//
// The package knows nothing of what the settings do; limits are in the units that their comments give.
package config
