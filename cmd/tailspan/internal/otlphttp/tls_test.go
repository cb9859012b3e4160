package otlphttp_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
)

// certificates writes the self-signed certificate of a server and its key to files.
func certificates(t *testing.T, server *httptest.Server) (certificate, key string) {
	t.Helper()
	pair := server.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	return write("cert.pem", "CERTIFICATE", pair.Certificate[0]), write("key.pem", "PRIVATE KEY", private)
}

// TestCertificates checks the TLS variables for trusted and own certificates, for both protocols and each signal.
func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		}
	}))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	certificate, key := certificates(t, server)
	nothing := filepath.Join(t.TempDir(), "missing.pem")
	for _, tc := range []struct {
		name string
		env  map[string]string
		err  string // from reading the variables
	}{
		{name: "for all", env: map[string]string{"_CERTIFICATE": certificate, "_CLIENT_CERTIFICATE": certificate, "_CLIENT_KEY": key}},
		{name: "for the signal", env: map[string]string{"_TRACES_CERTIFICATE": certificate, "_TRACES_CLIENT_CERTIFICATE": certificate, "_TRACES_CLIENT_KEY": key}},
		{name: "gRPC", env: map[string]string{"_PROTOCOL": "grpc", "_CERTIFICATE": certificate, "_CLIENT_CERTIFICATE": certificate, "_CLIENT_KEY": key}},
		{name: "no file", env: map[string]string{"_CERTIFICATE": nothing}, err: "OTEL_EXPORTER_OTLP_CERTIFICATE: open " + nothing},
		{name: "no certificate", env: map[string]string{"_CERTIFICATE": key}, err: `OTEL_EXPORTER_OTLP_CERTIFICATE must be a file with PEM certificates, got "` + key + `"`},
		{name: "no key", env: map[string]string{"_CLIENT_CERTIFICATE": certificate}, err: "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY must be set together"},
		{name: "a key that is none", env: map[string]string{"_LOGS_CLIENT_CERTIFICATE": certificate, "_LOGS_CLIENT_KEY": certificate}, err: "OTEL_EXPORTER_OTLP_LOGS_CLIENT_CERTIFICATE, OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			endpoints, err := otlphttp.FromEnvironment(func(name string) string {
				return tc.env[name[min(len("OTEL_EXPORTER_OTLP"), len(name)):]]
			}, server.URL)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			e := otlphttp.New(otlphttp.Settings{Endpoints: endpoints})
			t.Cleanup(e.Close)
			left, err := e.Traces(t.Context(), spans(1))
			require.NoError(t, err)
			assert.Zero(t, left.SpanCount())
			assert.Zero(t, e.Refused())
		})
	}
	_, err := otlphttp.FromEnvironment(func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_CERTIFICATE": nothing}[name]
	}, "http://127.0.0.1:4318")
	assert.NoError(t, err, "nothing is verified without TLS")
}

// TestUntrustedCertificate checks that an endpoint whose certificate is not trusted is waited for no longer than one that accepts no
// connection.
func TestUntrustedCertificate(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		t.Run(protocol, func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.EnableHTTP2 = true
			server.StartTLS()
			t.Cleanup(server.Close)
			e, _ := overGRPC(t, server.URL, map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": protocol})
			e.Hurry()
			_, err := e.Traces(t.Context(), spans(1))
			require.ErrorIs(t, err, otlphttp.ErrUnreachable)
			assert.ErrorContains(t, err, "failed to verify certificate")
		})
	}
}
