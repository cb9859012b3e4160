package batch_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/tailspan/tailspan/internal/batch"
)

func TestIsTooLarge(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"otlp_http", "rpc error: code = Unknown desc = error exporting items, request to http://127.0.0.1:4318/v1/logs responded with HTTP Status Code 413", true},
		{"otlp_http with the text of the receiver otlp", "rpc error: code = InvalidArgument desc = error exporting items, request to http://127.0.0.1:4318/v1/logs responded with HTTP Status Code 400, Message=http: request body too large, Details=[]", true},
		{"grpc-go", "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (5242955 vs. 4194304)", true},
		{"grpc-go, compressed", "rpc error: code = ResourceExhausted desc = grpc: received message after decompression larger than max 4194304", true},
		{"grpc-go, the sender's own limit", "rpc error: code = ResourceExhausted desc = trying to send message larger than max (5 vs. 4)", true},
		{"grpc core", "rpc error: code = ResourceExhausted desc = SERVER: Received message larger than max (5242955 vs. 4194304)", true},
		{"grpc-java", "rpc error: code = ResourceExhausted desc = gRPC message exceeds maximum size 4194304: 5242955", true},
		{"grpc-dotnet", "rpc error: code = ResourceExhausted desc = Received message exceeds the maximum configured message size.", true},
		{"tonic", "rpc error: code = OutOfRange desc = Error, decoded message length too large: found 5242955 bytes, the limit is: 4194304 bytes", true},
		{"a proxy before grpc", "rpc error: code = Unknown desc = unexpected HTTP status code received from server: 413 (Request Entity Too Large)", true},
		{"collector's own type", consumererror.NewOTLPHTTPError(nil, 413).Error(), true},
		{"throttling", "rpc error: code = ResourceExhausted desc = too many requests", false},
		{"another status", "rpc error: code = InvalidArgument desc = error exporting items, request to http://127.0.0.1:4318/v1/logs responded with HTTP Status Code 400", false},
		{"a port", "rpc error: code = Unavailable desc = dial tcp 127.0.0.1:413: connect: connection refused", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := errors.New(tt.text)
			for form, err := range map[string]error{
				"plain": err, "permanent": consumererror.NewPermanent(err), "wrapped": fmt.Errorf("send: %w", err),
				"joined": errors.Join(errors.New("other"), consumererror.NewPermanent(err)),
			} {
				assert.Equal(t, tt.want, batch.IsTooLarge(err), form)
			}
		})
	}
	assert.False(t, batch.IsTooLarge(nil))
}
