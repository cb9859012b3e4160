// Package embed is for agents written in Go: an events.Sink that hands events to the OpenTelemetry API and SDK with the
// spans and log records that the receiver would make of them. The package holds its place in the layout; it is on the
// roadmap (see README).
package embed
