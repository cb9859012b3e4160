package batch

import "strings"

// sizeRefusals are the texts, in lower case, with which servers refuse a request for its size. Exporters pass on a server's
// answer as text, but with a different type for each protocol or none, so the text is all that they have in common.
var sizeRefusals = []string{
	// HTTP 413, as reported by the exporter otlp_http 0.165 and consumererror 0.165.
	"http status code 413",
	"http status 413",
	// HTTP 413 of a proxy in front of a gRPC server (grpc-go 1.85, internal/transport).
	"413 (request entity too large)",
	// Reason phrases of 413 in RFC 9110, RFC 7231 and RFC 2616.
	"413 content too large",
	"413 payload too large",
	"413 request entity too large",
	// http.MaxBytesReader of Go 1.26; the receiver otlp 0.165 returns it with HTTP 400.
	"http: request body too large",
	// ResourceExhausted of grpc-go 1.85 (rpc_util.go, stream.go); grpc core and grpc-js use the text of the first line.
	"message larger than max",
	"message after decompression larger than max",
	// ResourceExhausted of grpc-java (io.grpc.internal.MessageDeframer) and of grpc-dotnet (StreamExtensions), 2026-11.
	"grpc message exceeds maximum size",
	"message exceeds the maximum configured message size",
	// OutOfRange of tonic (src/codec/decode.rs), 2026-11. The exporter otlp_grpc treats that code as temporary.
	"message length too large",
}

// IsTooLarge reports whether a consumer refused a batch for its size and may accept a smaller one.
func IsTooLarge(err error) bool {
	if err == nil {
		return false
	}
	text := strings.ToLower(err.Error())
	for _, refusal := range sizeRefusals {
		if strings.Contains(text, refusal) {
			return true
		}
	}
	return false
}
