// Package otlpsink takes what a collector sends as OTLP over HTTP, protobuf and not compressed, and hands it to a function
// that says whether it is accepted. It keeps nothing.
package otlpsink
