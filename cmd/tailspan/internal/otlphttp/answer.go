package otlphttp

import "encoding/binary"

// Field numbers of ExportTraceServiceResponse and ExportLogsServiceResponse, which have the same (opentelemetry-proto 1.8).
const (
	fieldPartialSuccess = 1
	fieldRejected       = 1
	fieldErrorMessage   = 2
)

// Wire types of protobuf.
const (
	wireVarint = 0
	wireI64    = 1
	wireLen    = 2
	wireI32    = 5
)

// partialSuccess reads from an answer how much was rejected and why; 0 if it holds nothing that can be read.
func partialSuccess(answer []byte) (rejected int64, message string) {
	fields(answer, func(number, _ uint64, partial []byte) {
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
	return rejected, message
}

// fields calls f with each field of a message, up to the first that can't be read: with the value of a number, or with
// the data of what has a length.
func fields(b []byte, f func(number, value uint64, data []byte)) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		b = b[n:]
		switch tag & 7 {
		case wireVarint:
			value, n := binary.Uvarint(b)
			if n <= 0 {
				return
			}
			f(tag>>3, value, nil)
			b = b[n:]
		case wireLen:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return
			}
			f(tag>>3, 0, b[n:n+int(size)]) //nolint:gosec // bounded by the line above
			b = b[n+int(size):]            //nolint:gosec // the same
		case wireI64:
			if len(b) < 8 {
				return
			}
			b = b[8:]
		case wireI32:
			if len(b) < 4 {
				return
			}
			b = b[4:]
		default:
			return
		}
	}
}
