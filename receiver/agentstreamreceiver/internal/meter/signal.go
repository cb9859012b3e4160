package meter

// Signal is one of the signals that the receiver exports.
type Signal uint8

// The signals.
const (
	SignalTraces Signal = iota
	SignalLogs
	SignalMetrics
	signalEnd
)

// String returns the name used in the collector's own metrics.
func (s Signal) String() string {
	switch s {
	case SignalTraces:
		return "traces"
	case SignalMetrics:
		return "metrics"
	default:
		return "logs"
	}
}

// Reasons why spans and records are dropped.
const (
	DropRefused  = "refused"   // a consumer rejected it permanently
	DropTooLarge = "too_large" // a consumer refused the size of a single element
	DropExpired  = "expired"   // a consumer refused it until retry_on_failure ended
	DropGone     = "gone"      // the file was unlinked and its last output not acknowledged in time
	DropShutdown = "shutdown"  // the collector stopped and no storage has the offset
)
