// Command configdoc generates the documentation of the settings of the two components from their configuration structs: a
// config.schema.yaml in the folder of each, in the form of the collector's own, and docs/configuration.md. Keys come from
// mapstructure tags, defaults from the factories, descriptions from the comments of the fields, and the values of an
// enumeration from the constants below a comment "Values of Struct.Field." `make generate` runs it from the module's folder;
// its test checks that the files are up to date.
package main
