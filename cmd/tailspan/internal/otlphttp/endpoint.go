package otlphttp

import (
	"cmp"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/redact"
)

// Endpoint is the destination of one signal. The zero value sends nothing.
type Endpoint struct {
	// URL is the whole address including the path.
	URL string
	// Headers are sent with each request.
	Headers map[string]string
	// Timeout bounds one attempt.
	Timeout time.Duration
	// Gzip compresses request bodies.
	Gzip bool
	// GRPC is true for OTLP/gRPC, false for OTLP/HTTP.
	GRPC bool
	// TLS holds the trusted and our own certificates; nil means those of the system.
	TLS *tls.Config
}

// Endpoints holds the endpoint of each signal.
type Endpoints struct{ Traces, Logs, Metrics Endpoint }

// of returns the endpoint of a signal.
func (e *Endpoints) of(signal string) *Endpoint {
	switch signal {
	case signalTraces:
		return &e.Traces
	case signalLogs:
		return &e.Logs
	default:
		return &e.Metrics
	}
}

// Empty reports whether no signal has an endpoint.
func (e *Endpoints) Empty() bool {
	return e.Traces.URL == "" && e.Logs.URL == "" && e.Metrics.URL == ""
}

// Addresses returns the addresses in use, each once, safe to show.
func (e *Endpoints) Addresses() []string {
	var all []string
	for _, signal := range allSignals {
		to := e.of(signal)
		if to.URL != "" && !slices.Contains(all, shown(to.URL)) {
			all = append(all, shown(to.URL))
		}
	}
	return all
}

// minSecret is the minimum length of a secret that answers must not show, in bytes: shorter header values are no keys.
const minSecret = 8

// hide removes from an answer what may be a secret of the request: a server may quote the key that it does not accept.
func (e *Endpoint) hide(answer string) string {
	for _, secret := range e.secrets() {
		if len(secret) >= minSecret {
			answer = strings.ReplaceAll(answer, secret, "[redacted]")
		}
	}
	return answer
}

// secrets returns the values of the headers that hold credentials, with their scheme and alone, and the password of the address.
func (e *Endpoint) secrets() []string {
	var all []string
	for name, value := range e.Headers {
		if redact.SecretHeader(name) {
			all = append(all, value, value[strings.LastIndexByte(value, ' ')+1:])
		}
	}
	if u, err := url.Parse(e.URL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		all = append(all, password, base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
	}
	return all
}

// signalPath matches the end of an address for one signal, in place of an address for all.
var signalPath = regexp.MustCompile(`/v1/(traces|logs|metrics)/*$`)

const defaultTimeout = 10 * time.Second

// The signals, as variables and paths name them.
const (
	signalTraces  = "traces"
	signalLogs    = "logs"
	signalMetrics = "metrics"
)

var allSignals = []string{signalTraces, signalLogs, signalMetrics}

// exporterVariables name the exporter of each signal.
var exporterVariables = map[string]string{
	signalTraces: "OTEL_TRACES_EXPORTER", signalLogs: "OTEL_LOGS_EXPORTER", signalMetrics: "OTEL_METRICS_EXPORTER",
}

// FromEnvironment reads the standard variables. If base is set, it replaces the endpoints of the environment; protocol, headers,
// disabled signals and other options still apply.
func FromEnvironment(getenv func(string) string, base string) (Endpoints, error) {
	if base == "" && strings.EqualFold(strings.TrimSpace(getenv("OTEL_SDK_DISABLED")), "true") {
		return Endpoints{}, nil
	}
	var e Endpoints
	var errs []error
	seen := map[string]bool{}
	for _, signal := range allSignals {
		var err error
		if *e.of(signal), err = endpoint(getenv, base, signal); err != nil && !seen[err.Error()] {
			seen[err.Error()] = true // one variable may apply to all signals
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return Endpoints{}, err
	}
	return e, nil
}

func endpoint(getenv func(string) string, base, signal string) (Endpoint, error) {
	upper := strings.ToUpper(signal)
	own := func(key string) (name, value string) {
		name = "OTEL_EXPORTER_OTLP_" + upper + "_" + key
		if value = strings.TrimSpace(getenv(name)); value == "" {
			name = "OTEL_EXPORTER_OTLP_" + key
			value = strings.TrimSpace(getenv(name))
		}
		return name, value
	}
	name, given, below := "--otlp", base, true
	exporters := getenv(exporterVariables[signal])
	if strings.TrimSpace(exporters) == "none" {
		return Endpoint{}, nil
	}
	if base == "" {
		if strings.TrimSpace(exporters) != "" && !names(exporters, "otlp") {
			return Endpoint{}, nil // exporters other than ours
		}
		name, given = own("ENDPOINT")
		if given == "" {
			return Endpoint{}, nil
		}
		below = name == "OTEL_EXPORTER_OTLP_ENDPOINT"
	}
	var e Endpoint
	switch key, protocol := own("PROTOCOL"); protocol {
	case "", protocolHTTP:
	case protocolGRPC:
		e.GRPC = true
		if _, insecure := own("INSECURE"); !strings.Contains(given, "://") && strings.Contains(given, ":") {
			given = map[bool]string{true: "http://", false: "https://"}[strings.EqualFold(insecure, "true")] + given
		}
	default:
		return Endpoint{}, fmt.Errorf("%s must be %s or %s, got %q", key, protocolHTTP, protocolGRPC, protocol)
	}
	u, err := url.Parse(given)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Endpoint{}, fmt.Errorf("%s must be a URL of http or https, such as http://localhost:4318, got %q", name, shown(given))
	}
	switch e.URL = given; {
	case e.GRPC:
		e.URL = (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: grpcMethods[signal]}).String()
	case below:
		u.Path, u.RawPath = signalPath.ReplaceAllString(u.Path, ""), ""
		e.URL = u.JoinPath("v1", signal).String() // before the query, which may hold a key
	}
	if err := e.options(getenv, own, upper); err != nil || u.Scheme == "http" {
		return e, err
	}
	e.TLS, err = tlsConfig(own)
	return e, err
}

// names reports whether a comma-separated list contains a value.
func names(list, value string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(name) == value {
			return true
		}
	}
	return false
}

// The protocols, as named in the variables.
const (
	protocolHTTP = "http/protobuf"
	protocolGRPC = "grpc"
)

// options reads the other variables of an endpoint.
func (e *Endpoint) options(getenv func(string) string, own func(string) (string, string), upper string) error {
	var headerErr, timeoutErr, gzipErr error
	e.Headers, headerErr = headers(getenv, "OTEL_EXPORTER_OTLP_HEADERS")
	more, moreErr := headers(getenv, "OTEL_EXPORTER_OTLP_"+upper+"_HEADERS")
	maps.Copy(e.Headers, more)
	key, value := own("TIMEOUT")
	e.Timeout, timeoutErr = Milliseconds(key, cmp.Or(value, strconv.FormatInt(defaultTimeout.Milliseconds(), 10)))
	switch key, value := own("COMPRESSION"); value {
	case "", "none":
	case "gzip":
		e.Gzip = true
	default:
		gzipErr = fmt.Errorf("%s must be gzip or none, got %q", key, value)
	}
	return errors.Join(headerErr, moreErr, timeoutErr, gzipErr)
}

// maxMilliseconds is the longest duration of a variable: some set the largest number to mean "never".
const maxMilliseconds = int64(1<<63-1) / int64(time.Millisecond)

// Milliseconds parses the value of a variable for a duration.
func Milliseconds(variable, value string) (time.Duration, error) {
	ms, err := strconv.ParseInt(value, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || ms <= 0 {
		return 0, fmt.Errorf("%s must be milliseconds, got %q", variable, value)
	}
	return time.Duration(min(ms, maxMilliseconds)) * time.Millisecond, nil
}

// headerName matches a token (RFC 9110, 5.6.2).
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// headers parses "key=value,key=value" with percent-encoded values. Values may be secrets, so an error does not show them.
func headers(getenv func(string) string, variable string) (map[string]string, error) {
	read := map[string]string{}
	for pair := range strings.SplitSeq(getenv(variable), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || !headerName.MatchString(key) || err != nil || strings.ContainsFunc(decoded, isControl) {
			return read, fmt.Errorf("%s must be key=value pairs with commas between them, values percent-encoded", variable)
		}
		read[key] = decoded
	}
	return read, nil
}

// isControl reports whether a header must not contain a character (RFC 9110, 5.5).
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// shown returns an address without user, password and query, which may hold keys. Of an invalid address only the end is shown,
// where the host would be.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		address, _, _ = strings.Cut(address, "?")
		if at := strings.LastIndexByte(address, '@'); at >= 0 {
			address = "..." + address[at:]
		}
		return address
	}
	if u.User == nil && u.RawQuery == "" {
		return address
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}
