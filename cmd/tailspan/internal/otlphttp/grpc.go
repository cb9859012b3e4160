package otlphttp

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/internal/batch"
)

// A unary gRPC call is a POST over HTTP/2 with one message after a 5-byte prefix as its body and the status in the trailers (gRPC
// over HTTP2, grpc/grpc 1.81). net/http is sufficient; grpc-go would make the command 11 MB larger.

// grpcMethods are the export methods by signal (opentelemetry-proto 1.8).
var grpcMethods = map[string]string{
	signalTraces:  "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	signalLogs:    "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
	signalMetrics: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
}

// grpcPrefix is the length of a message's prefix: the compression flag and the size.
const grpcPrefix = 5

// grpcMessage prepends the prefix to a message.
func grpcMessage(body []byte, compressed bool) []byte {
	out := make([]byte, grpcPrefix, grpcPrefix+len(body))
	if compressed {
		out[0] = 1
	}
	binary.BigEndian.PutUint32(out[1:], uint32(len(body))) //nolint:gosec // a request is far smaller
	return append(out, body...)
}

// Status codes of gRPC.
const (
	grpcOK = 0

	// After these a request may be retried (OpenTelemetry protocol 1.8, "Failures"), after grpcResourceExhausted only if the server
	// says with a RetryInfo that it can recover.
	grpcCancelled         = 1
	grpcDeadlineExceeded  = 4
	grpcResourceExhausted = 8
	grpcAborted           = 10
	grpcOutOfRange        = 11
	grpcUnavailable       = 14
	grpcDataLoss          = 15

	// These are errors of the server itself, like 500 of HTTP.
	grpcUnknown  = 2
	grpcInternal = 13

	// A server answers these to a method that it lacks, and to a missing or wrong key.
	grpcUnimplemented    = 12
	grpcPermissionDenied = 7
	grpcUnauthenticated  = 16
)

// grpcAnswer reads the status of a call; broken is the error of reading its body, which precedes the status.
func (e *Exporter) grpcAnswer(r request, resp *http.Response, answer []byte, broken error) refusal {
	get := func(key string) string {
		if value := resp.Trailer.Get(key); value != "" {
			return value
		}
		return resp.Header.Get(key) // a trailers-only response
	}
	code, err := strconv.Atoi(get("Grpc-Status"))
	switch {
	case err != nil && broken != nil:
		return refusal{kind: refusalTransient, err: fmt.Errorf("read answer of %s: %w", shown(r.to.URL), broken)}
	case err != nil:
		kind := kindOfStatus(resp.StatusCode)
		if resp.StatusCode == http.StatusOK && !strings.HasPrefix(contentType(resp.Header), "application/grpc") {
			kind = refusalMisdirected // another service
		}
		return refusal{kind: kind, err: fmt.Errorf("%s answers %s without a status of gRPC", shown(r.to.URL), resp.Status)}
	case code == grpcOK:
		if len(answer) > grpcPrefix && answer[0] == 0 {
			e.partial(r, resp, answer[grpcPrefix:])
		}
		return refusal{}
	}
	message, err := url.PathUnescape(get("Grpc-Message"))
	if err != nil {
		message = get("Grpc-Message")
	}
	if message != "" {
		message = ": " + r.to.hide(message)
	}
	err = fmt.Errorf("%s answers with gRPC status %d%s", shown(r.to.URL), code, message)
	wait, recovers := retryInfo(get("Grpc-Status-Details-Bin"))
	kind := kindOfCode(code, recovers)
	if batch.IsTooLarge(err) {
		kind = refusalTooLarge
	}
	return refusal{kind: kind, err: err, wait: wait}
}

// kindOfCode returns what a status code of gRPC other than success says; recovers is true if it has a RetryInfo.
func kindOfCode(code int, recovers bool) refusalKind {
	switch code {
	case grpcResourceExhausted:
		if recovers {
			return refusalTransient
		}
		return refusalPermanent
	case grpcCancelled, grpcDeadlineExceeded, grpcAborted, grpcOutOfRange, grpcUnavailable, grpcDataLoss:
		return refusalTransient
	case grpcUnknown, grpcInternal:
		return refusalInternal
	case grpcUnimplemented:
		return refusalNoPath
	case grpcPermissionDenied, grpcUnauthenticated:
		return refusalMisdirected
	default:
		return refusalPermanent
	}
}

// protocolError returns an error if the endpoint uses the other protocol, otherwise nil. A server closes a connection in the
// wrong protocol, and either its response or the broken connection is seen first: so both protocols are tried.
func (e *Exporter) protocolError(ctx context.Context, to *Endpoint) error {
	right, other := e.clientsOf(to)
	switch {
	case !speaks(ctx, other, to) || speaks(ctx, right, to):
		return nil
	case to.GRPC:
		return fmt.Errorf("%s speaks HTTP/1.1, not gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, "+
			"or name its port for gRPC (4317 of a collector)", shown(to.base()))
	default:
		return fmt.Errorf("%s speaks gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or name its port for OTLP/HTTP (4318 of a collector)", shown(to.base()))
	}
}

// clients holds the clients of the two protocols.
type clients struct{ http, grpc *http.Client }

// clientsOf returns the client for an endpoint, and that for the other protocol.
func (e *Exporter) clientsOf(to *Endpoint) (right, other *http.Client) {
	c := e.clients[to.TLS]
	if to.GRPC {
		return c.grpc, c.http
	}
	return c.http, c.grpc
}

// speaks reports whether an endpoint responds in the protocol of a client, whatever the response.
func speaks(ctx context.Context, client *http.Client, to *Endpoint) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, to.base(), http.NoBody)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return true
}

// base returns the address without its path.
func (e *Endpoint) base() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return e.URL
	}
	u.Path, u.RawPath = "", ""
	return u.String()
}

// newClient returns a client for one of the two protocols.
func newClient(trust *tls.Config, grpc bool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trust.Clone()
	if grpc {
		transport.Protocols = new(http.Protocols)
		transport.Protocols.SetHTTP2(true)
		transport.Protocols.SetUnencryptedHTTP2(true)
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the headers may be secrets, which no other server may receive
	}}
}
