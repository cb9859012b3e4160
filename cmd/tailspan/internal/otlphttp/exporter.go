package otlphttp

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/batch"
	"github.com/tailspan/tailspan/internal/retry"
	"github.com/tailspan/tailspan/otlp"
)

// waits are the waits between attempts.
var waits = retry.Settings{InitialInterval: 200 * time.Millisecond, MaxInterval: 5 * time.Second, Multiplier: 2}

// maxRequest bounds the body of a request before compression, in bytes, unless it is one span or record.
const maxRequest = 2 << 20

// maxAnswer bounds the part of a response that is read, in bytes.
const maxAnswer = 64 << 10

// Settings says where an Exporter sends, and where it reports problems.
type Settings struct {
	Endpoints Endpoints
	// UserAgent names the program.
	UserAgent string
	// Patience is how long a request is retried after the endpoint's first internal error before it counts as refused; 0: until
	// the context ends.
	Patience time.Duration
	// Report is called when sending fails, once for each signal and kind of failure, and when it works again. It runs in the
	// goroutine that sends.
	Report func(problem string)
}

// Exporter sends to an endpoint. See the package documentation.
type Exporter struct {
	settings Settings
	clients  map[*tls.Config]clients // by TLS configuration
	reported map[string]bool         // keys of problems
	refused  atomic.Int64
	rejected atomic.Int64
	sent     map[string]int // number of accepted elements by signal
	body     bytes.Buffer
	parts    batch.Sender
	signals  *signals
	hurry    chan struct{} // closed by Hurry
	hurried  func()
}

// New returns an Exporter. It must be closed.
func New(s Settings) *Exporter {
	if s.Report == nil {
		s.Report = func(string) {}
	}
	return newExporter(s, &signals{})
}

// Beside returns an Exporter for another goroutine. The two share what they learn about the endpoint's signals.
func (e *Exporter) Beside() *Exporter { return newExporter(e.settings, e.signals) }

func newExporter(s Settings, shared *signals) *Exporter {
	e := &Exporter{
		settings: s, clients: map[*tls.Config]clients{}, reported: map[string]bool{}, sent: map[string]int{}, signals: shared,
		hurry: make(chan struct{}),
	}
	for _, signal := range allSignals {
		to := s.Endpoints.of(signal)
		if _, made := e.clients[to.TLS]; !made {
			e.clients[to.TLS] = clients{http: newClient(to.TLS, false), grpc: newClient(to.TLS, true)}
		}
	}
	e.hurried = sync.OnceFunc(func() { close(e.hurry) })
	e.parts = batch.Sender{Limit: maxRequest, Mark: otlp.AttrTruncated, Cut: func() {
		e.report("cut", "the endpoint takes no request of this size: a span or log record was cut and marked with "+otlp.AttrTruncated)
	}}
	return e
}

// Hurry makes requests fail with [ErrUnreachable] after one more attempt if their endpoint accepts no connection; before, they
// wait for it. It may be called repeatedly and from any goroutine.
func (e *Exporter) Hurry() { e.hurried() }

// Close closes idle connections.
func (e *Exporter) Close() {
	for _, c := range e.clients {
		c.http.CloseIdleConnections()
		c.grpc.CloseIdleConnections()
	}
}

// Refused counts the spans, records and metric points of requests that an endpoint refused permanently. They were returned with
// [ErrRefused].
func (e *Exporter) Refused() int64 { return e.refused.Load() }

// Rejected counts those that an endpoint rejected in requests that it accepted otherwise (partial success). Which ones they are is
// not known.
func (e *Exporter) Rejected() int64 { return e.rejected.Load() }

// Sent counts the spans, log records and metric points that were accepted.
func (e *Exporter) Sent() (spans, records, points int) {
	return e.sent[signalTraces], e.sent[signalLogs], e.sent[signalMetrics]
}

// Traces sends spans in requests that fit the endpoint. It returns spans that were not accepted with an error: ctx ended,
// [ErrUnreachable], [ErrNoPath], or a wrong address, protocol or key; [ErrRefused] if all others were accepted. It drops the spans
// if the endpoint lacks the signal.
func (e *Exporter) Traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	to := e.endpoint(signalTraces)
	if to == nil || td.SpanCount() == 0 {
		return ptrace.NewTraces(), nil
	}
	return e.parts.Traces(td, func(part batch.Part[ptrace.Traces]) error {
		// A TracesData message has the same encoding as an ExportTraceServiceRequest.
		var m ptrace.ProtoMarshaler
		body, err := m.MarshalTraces(part.Batch)
		return e.send(ctx, request{signalTraces, to, body, part.Elements, part.Last}, err)
	})
}

// Logs sends log records as [Exporter.Traces] sends spans.
func (e *Exporter) Logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	to := e.endpoint(signalLogs)
	if to == nil || ld.LogRecordCount() == 0 {
		return plog.NewLogs(), nil
	}
	return e.parts.Logs(ld, func(part batch.Part[plog.Logs]) error {
		var m plog.ProtoMarshaler
		body, err := m.MarshalLogs(part.Batch)
		return e.send(ctx, request{signalLogs, to, body, part.Elements, part.Last}, err)
	})
}

// Metrics sends metrics as [Exporter.Traces] sends spans.
func (e *Exporter) Metrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	if e.endpoint(signalMetrics) == nil || md.DataPointCount() == 0 {
		return pmetric.NewMetrics(), nil
	}
	return e.parts.Metrics(md, func(part batch.Part[pmetric.Metrics]) error {
		r, err := e.metricsRequest(part.Batch)
		r.last = part.Last
		return e.send(ctx, r, err)
	})
}

// OfferMetrics makes one attempt and reports whether the endpoint accepted the metrics. If not, the next ones include them.
func (e *Exporter) OfferMetrics(ctx context.Context, md pmetric.Metrics) (accepted bool) {
	if e.endpoint(signalMetrics) == nil || md.DataPointCount() == 0 {
		return true
	}
	r, err := e.metricsRequest(md)
	no := refusal{kind: refusalPermanent, err: err}
	if err == nil {
		no = e.try(ctx, r)
	}
	switch {
	case no.kind == refusalNone:
		e.accepted(r)
		return true
	case no.kind == refusalNoPath && e.lacks(ctx, r, no.err):
		return true
	case ctx.Err() == nil:
		e.report(r.signal+" again", fmt.Sprintf("sending %s fails, the next export includes them: %v", r.signal, no.err))
	}
	return false
}

// metricsRequest returns the request for md.
func (e *Exporter) metricsRequest(md pmetric.Metrics) (request, error) {
	var m pmetric.ProtoMarshaler
	body, err := m.MarshalMetrics(md)
	return request{signal: signalMetrics, to: &e.settings.Endpoints.Metrics, body: body, elements: md.DataPointCount()}, err
}

// request is one request to an endpoint.
type request struct {
	signal   string
	to       *Endpoint
	body     []byte
	elements int
	last     bool // it cannot be split further
}

// refusal is a response other than success.
type refusal struct {
	kind refusalKind
	err  error
	wait time.Duration // requested by the endpoint; 0 if not
}

// refusalKind is what a response says about the request.
type refusalKind int

const (
	// refusalNone: the endpoint accepted the request.
	refusalNone refusalKind = iota
	// refusalPermanent: the endpoint will not accept it.
	refusalPermanent
	// refusalTransient: the endpoint may accept it later.
	refusalTransient
	// refusalInternal: an error of the endpoint, maybe caused by this request, so it is retried for a limited time.
	refusalInternal
	// refusalUnreachable: the endpoint accepts no connection.
	refusalUnreachable
	// refusalMisdirected: address, protocol or key are wrong; the data may be fine.
	refusalMisdirected
	// refusalNoPath: nothing accepts the signal there. The endpoint lacks it, or the address is wrong.
	refusalNoPath
	// refusalTooLarge: the endpoint may accept smaller requests.
	refusalTooLarge
)

// ErrUnreachable reports data that was not sent because the endpoint accepts no connection.
var ErrUnreachable = errors.New("endpoint accepts no connection")

// ErrNoPath reports data for an address that accepts no signal at all.
var ErrNoPath = errors.New("the address accepts no signal")

// ErrRefused reports data that the endpoint refuses permanently. It may accept the next request.
var ErrRefused = batch.ErrRefused

// send sends until the endpoint accepts or refuses the request permanently. A refusal for its size is an error for
// [batch.IsTooLarge], unless the request cannot be split.
func (e *Exporter) send(ctx context.Context, r request, err error) error {
	if err != nil {
		return e.refuse(r, fmt.Errorf("encode %s: %w", r.signal, err))
	}
	hurrying, failing := false, time.Time{} // failing: since the first internal error
	for backoff := retry.New(waits); ; {
		no := e.try(ctx, r)
		if no.kind != refusalNone && ctx.Err() != nil {
			return ended(ctx, r, no.err)
		}
		var hurry <-chan struct{}
		switch no.kind {
		case refusalNone:
			e.accepted(r)
			return nil
		case refusalMisdirected:
			return fmt.Errorf("send %s: %w", r.signal, no.err)
		case refusalNoPath:
			if e.lacks(ctx, r, no.err) {
				return nil
			}
			return fmt.Errorf("send %s: %w: %w", r.signal, ErrNoPath, no.err)
		case refusalTooLarge:
			if r.last {
				return e.refuse(r, no.err)
			}
			return no.err
		case refusalPermanent:
			return e.refuse(r, no.err)
		case refusalUnreachable:
			if hurrying {
				return fmt.Errorf("send %s: %w: %w", r.signal, ErrUnreachable, no.err)
			}
			hurry = e.hurry
		case refusalInternal:
			if failing = cmp.Or(failing, time.Now()); e.settings.Patience > 0 && time.Since(failing) >= e.settings.Patience {
				return e.refuse(r, no.err)
			}
		case refusalTransient:
		}
		e.report(r.signal+" again", fmt.Sprintf("sending %s fails, retrying: %v", r.signal, no.err))
		timer := time.NewTimer(cmp.Or(no.wait, backoff.Next()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ended(ctx, r, no.err)
		case <-hurry:
			timer.Stop()
			hurrying = true
		case <-timer.C:
		}
	}
}

// ended returns the error of a request that was not accepted when ctx ended: the cause of that end, and the last problem unless
// it is the same.
func ended(ctx context.Context, r request, err error) error {
	cause := context.Cause(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, cause) {
		return fmt.Errorf("send %s: %w", r.signal, cause)
	}
	return fmt.Errorf("send %s: %w; %w", r.signal, cause, err)
}

// try makes one attempt.
func (e *Exporter) try(ctx context.Context, r request) refusal {
	ctx, cancel := context.WithTimeout(ctx, r.to.Timeout)
	defer cancel()
	req, err := e.newRequest(ctx, r)
	if err != nil {
		return refusal{kind: refusalPermanent, err: err}
	}
	client, _ := e.clientsOf(r.to)
	resp, err := client.Do(req)
	if err != nil {
		if noConnection(err) {
			return refusal{kind: refusalUnreachable, err: shortError(err)}
		}
		if foreign := e.protocolError(ctx, r.to); foreign != nil {
			return refusal{kind: refusalMisdirected, err: foreign}
		}
		return refusal{kind: refusalTransient, err: shortError(err)}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if r.to.GRPC {
		return e.grpcAnswer(r, resp, answer, err)
	}
	return e.httpAnswer(r, resp, answer, err)
}

// httpAnswer reads the status of a response; err is the error of reading its body.
func (e *Exporter) httpAnswer(r request, resp *http.Response, answer []byte, err error) refusal {
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300 && isPage(resp.Header, answer):
		return refusal{kind: refusalMisdirected, err: fmt.Errorf("%s answers %s with a web page, so it is no OTLP endpoint", shown(r.to.URL), resp.Status)}
	case code >= 200 && code < 300:
		if err == nil {
			e.partial(r, resp, answer)
		}
		return refusal{}
	default:
		err := fmt.Errorf("%s answers %d %s%s", shown(r.to.URL), code, http.StatusText(code), reason(resp.Header, answer, r.to.hide))
		kind := kindOfStatus(code)
		if batch.IsTooLarge(err) {
			kind = refusalTooLarge
		}
		return refusal{kind: kind, err: err, wait: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	}
}

// kindOfStatus returns what an HTTP status other than success says (OpenTelemetry protocol 1.8, "OTLP/HTTP Response"). A redirect
// and a missing or wrong key concern the address or the sender, not the data.
func kindOfStatus(code int) refusalKind {
	switch code {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return refusalTransient
	case http.StatusInternalServerError:
		return refusalInternal
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return refusalNoPath
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return refusalMisdirected
	}
	if code >= 300 && code < 400 {
		return refusalMisdirected
	}
	return refusalPermanent
}

// isPage distinguishes a web page, such as that of a login, from the response of an endpoint.
func isPage(header http.Header, answer []byte) bool {
	return contentType(header) == "text/html" && len(bytes.TrimSpace(answer)) > 0
}

func (e *Exporter) newRequest(ctx context.Context, r request) (*http.Request, error) {
	body := r.body
	if r.to.Gzip {
		e.body.Reset()
		w := gzip.NewWriter(&e.body)
		if _, err := w.Write(r.body); err != nil {
			return nil, fmt.Errorf("compress %s: %w", r.signal, err)
		}
		if err := w.Close(); err != nil {
			return nil, fmt.Errorf("compress %s: %w", r.signal, err)
		}
		body = bytes.Clone(e.body.Bytes())
	}
	if r.to.GRPC {
		body = grpcMessage(body, r.to.Gzip)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	for key, value := range r.to.Headers {
		req.Header.Set(key, value)
	}
	kind, encoding := "application/x-protobuf", "Content-Encoding"
	if r.to.GRPC {
		kind, encoding = "application/grpc", "Grpc-Encoding"
		req.Header.Set("Te", "trailers")
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", e.settings.UserAgent)
	if r.to.Gzip {
		req.Header.Set(encoding, "gzip")
	}
	return req, nil
}

// partial handles what an accepted request's response says: how much was rejected nevertheless, or a warning. A server that
// answers something else may be no OTLP endpoint. That is only reported, because there are endpoints that answer "ok".
func (e *Exporter) partial(r request, resp *http.Response, answer []byte) {
	rejected, message, ok := partialSuccess(resp.Header, answer)
	rejected, message = min(rejected, int64(r.elements)), r.to.hide(message)
	switch {
	case !ok:
		problem := fmt.Sprintf("%s answers %s with %s instead of an OTLP response: if it is no OTLP endpoint, what it gets is lost",
			shown(r.to.URL), resp.Status, cmp.Or(contentType(resp.Header), "something"))
		if _, known := e.signals.foreign.LoadOrStore(r.to.base(), problem); !known {
			e.settings.Report(problem)
		}
	case rejected > 0:
		e.rejected.Add(rejected)
		e.sent[r.signal] -= int(rejected)
		e.report(r.signal+" partial", fmt.Sprintf("%d of %d %s were refused: %s", rejected, r.elements, noun(r.signal), message))
	case message != "":
		e.report(r.signal+" advice", fmt.Sprintf("%s accepts %s and says: %s", shown(r.to.URL), noun(r.signal), message))
	}
}

// refuse counts a request that the endpoint refuses for good.
func (e *Exporter) refuse(r request, err error) error {
	e.refused.Add(int64(r.elements))
	e.report(r.signal+" refused", fmt.Sprintf("%s were refused: %v", noun(r.signal), err))
	return fmt.Errorf("send %s: %w: %w", r.signal, ErrRefused, err)
}

// noun names the elements of a signal.
func noun(signal string) string {
	switch signal {
	case signalTraces:
		return "spans"
	case signalMetrics:
		return "metric points"
	default:
		return "log records"
	}
}

// accepted records that the endpoint accepts a signal. If a failure was reported, it reports that sending works again.
func (e *Exporter) accepted(r request) {
	e.signals.taken(r)
	e.sent[r.signal] += r.elements
	if key := r.signal + " again"; e.reported[key] {
		delete(e.reported, key)
		e.settings.Report(fmt.Sprintf("sending %s works again", r.signal))
	}
}

// report reports each problem once.
func (e *Exporter) report(key, problem string) {
	if e.reported[key] {
		return
	}
	e.reported[key] = true
	e.settings.Report(problem)
}

// maxWait bounds the wait that an endpoint may request: no command runs that long.
const maxWait = 24 * time.Hour

// retryAfter parses a wait: seconds, or a time (RFC 9110, 10.2.3). It returns 0 if there is none.
func retryAfter(value string, now time.Time) time.Duration {
	if at, err := http.ParseTime(value); err == nil {
		return min(max(0, at.Sub(now)), maxWait)
	}
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return time.Duration(min(max(0, seconds), int64(maxWait/time.Second))) * time.Second
}
