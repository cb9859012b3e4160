// Package config holds the settings that the receiver, the exporter and the command share, their defaults and their
// checks. The mapstructure tags are the keys of the collector's YAML.
//
// Validate methods report everything that is wrong at once, each error naming the key and the value. The package knows
// nothing of what the settings do; limits are in the units that their comments give.
package config
