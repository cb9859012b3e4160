package otlphttp

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Field numbers of ExportTraceServiceResponse, which the responses for logs and metrics share (opentelemetry-proto 1.8).
const (
	fieldPartialSuccess = 1
	fieldRejected       = 1
	fieldErrorMessage   = 2
)

// Field numbers of google.rpc.Status, of the Any of its details, and of RetryInfo with its Duration (googleapis, google/rpc).
const (
	fieldStatusMessage = 2
	fieldStatusDetails = 3
	fieldAnyType       = 1
	fieldAnyValue      = 2
	fieldRetryDelay    = 1
	fieldSeconds       = 1
	fieldNanos         = 2
)

// retryInfoType is the end of the type name of a RetryInfo.
const retryInfoType = "/google.rpc.RetryInfo"

// Wire types of protobuf.
const (
	wireVarint = 0
	wireI64    = 1
	wireLen    = 2
	wireI32    = 5
)

// partialSuccess returns how much the response to an accepted request rejects, and why. ok is false if the answer is no
// Export*ServiceResponse. The protocol requires the encoding of the request, but some servers answer in JSON or not at all.
func partialSuccess(header http.Header, answer []byte) (rejected int64, message string, ok bool) {
	switch {
	case len(bytes.TrimSpace(answer)) == 0:
		return 0, "", true
	case contentType(header) == "application/json":
		return partialSuccessJSON(answer)
	}
	ok = fields(answer, func(number, _ uint64, partial []byte) {
		if number != fieldPartialSuccess {
			return
		}
		fields(partial, func(number, value uint64, data []byte) {
			switch number {
			case fieldRejected:
				rejected = int64(value) //nolint:gosec // as protobuf defines an int64
			case fieldErrorMessage:
				message = string(data)
			}
		})
	})
	return rejected, message, ok || len(answer) == maxAnswer
}

// partialSuccessJSON does so for a response in JSON, where the number is of rejectedSpans, rejectedLogRecords or
// rejectedDataPoints.
func partialSuccessJSON(answer []byte) (rejected int64, message string, ok bool) {
	var response struct{ PartialSuccess map[string]any }
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.DisallowUnknownFields()
	decoder.UseNumber() // a float would print a million as 1e+06
	if decoder.Decode(&response) != nil {
		return 0, "", false
	}
	for key, value := range response.PartialSuccess {
		if key == "errorMessage" {
			message = fmt.Sprint(value)
		} else if n, err := strconv.ParseInt(fmt.Sprint(value), 10, 64); err == nil {
			rejected = n
		}
	}
	return rejected, message, true
}

// contentType returns the media type of an answer.
func contentType(header http.Header) string {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// maxReason bounds the part of a server's reason that is shown, in bytes.
const maxReason = 200

// reason returns a server's reason for a rejection after a colon: the message of a google.rpc.Status, which the protocol
// requires, or the first line of a text. It ignores web pages. hide removes secrets.
func reason(header http.Header, answer []byte, hide func(string) string) string {
	var text string
	switch contentType(header) {
	case "application/x-protobuf":
		fields(answer, func(number, _ uint64, data []byte) {
			if number == fieldStatusMessage {
				text = string(data)
			}
		})
	case "application/json":
		var status struct{ Message string }
		if json.Unmarshal(answer, &status) == nil {
			text = status.Message
		}
	case "text/plain":
		text = string(answer)
	}
	text, _, _ = strings.Cut(strings.TrimSpace(hide(text)), "\n")
	if text == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(text[:min(len(text), maxReason)], "")
}

// retryInfo returns the wait of the RetryInfo in the details of a gRPC status, and whether there is one.
func retryInfo(details string) (wait time.Duration, ok bool) {
	status, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(details, "="))
	if err != nil {
		return 0, false
	}
	fields(status, func(number, _ uint64, detail []byte) {
		if number != fieldStatusDetails {
			return
		}
		var name string
		fields(detail, func(number, _ uint64, data []byte) {
			switch {
			case number == fieldAnyType:
				name = string(data)
				ok = ok || strings.HasSuffix(name, retryInfoType)
			case number == fieldAnyValue && strings.HasSuffix(name, retryInfoType):
				wait = retryDelay(data)
			}
		})
	})
	return min(wait, maxWait), ok
}

func retryDelay(info []byte) (wait time.Duration) {
	fields(info, func(number, _ uint64, delay []byte) {
		if number != fieldRetryDelay {
			return
		}
		fields(delay, func(number, value uint64, _ []byte) {
			switch number {
			case fieldSeconds:
				wait += time.Duration(min(max(0, int64(value)), int64(maxWait/time.Second))) * time.Second //nolint:gosec // as protobuf defines an int64
			case fieldNanos:
				wait += time.Duration(min(max(0, int64(value)), int64(time.Second))) //nolint:gosec // the same
			}
		})
	})
	return wait
}

// fields calls f with each field of a message, up to the first invalid one: with the value of a number, or with the data of a
// length-delimited field. It reports whether all were valid.
func fields(b []byte, f func(number, value uint64, data []byte)) (valid bool) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return false
		}
		b = b[n:]
		switch tag & 7 {
		case wireVarint:
			value, n := binary.Uvarint(b)
			if n <= 0 {
				return false
			}
			f(tag>>3, value, nil)
			b = b[n:]
		case wireLen:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return false
			}
			f(tag>>3, 0, b[n:n+int(size)]) //nolint:gosec // bounded by the line above
			b = b[n+int(size):]            //nolint:gosec // the same
		case wireI64:
			if len(b) < 8 {
				return false
			}
			b = b[8:]
		case wireI32:
			if len(b) < 4 {
				return false
			}
			b = b[4:]
		default:
			return false
		}
	}
	return true
}

// noConnection reports whether no connection was established: the endpoint or its proxy refused it, or the certificate of the
// endpoint is not trusted.
func noConnection(err error) bool {
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") || errors.As(err, &certificate)
}

// shortError removes the address, which may hold a password and which the cause repeats.
func shortError(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil || !strings.HasPrefix(err.Error(), "Post ") {
			return err
		}
		err = inner
	}
}
