package otlphttp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// tlsConfig reads the certificates that the environment names: those to verify servers with, in place of the system's, and our
// own. It returns nil if the environment names none.
func tlsConfig(own func(string) (name, value string)) (*tls.Config, error) {
	authority, authorityFile := own("CERTIFICATE")
	certificate, certificateFile := own("CLIENT_CERTIFICATE")
	key, keyFile := own("CLIENT_KEY")
	if authorityFile+certificateFile+keyFile == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if authorityFile != "" {
		pem, err := os.ReadFile(authorityFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", authority, err)
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s must be a file with PEM certificates, got %q", authority, authorityFile)
		}
	}
	switch {
	case certificateFile+keyFile == "":
		return c, nil
	case certificateFile == "" || keyFile == "":
		return nil, fmt.Errorf("%s and %s must be set together", certificate, key)
	}
	pair, err := tls.LoadX509KeyPair(certificateFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", certificate, key, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}
