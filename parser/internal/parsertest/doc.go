// Package parsertest holds the tests that every provider's parser must pass: golden events of its fixtures, prefixes,
// torn lines, and the promises of package events. A provider's own tests call them with its constructor.
package parsertest
