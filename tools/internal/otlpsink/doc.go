// Package otlpsink receives OTLP over HTTP, uncompressed protobuf, from a collector and passes it to a function that
// decides whether it is accepted. It stores nothing.
package otlpsink
