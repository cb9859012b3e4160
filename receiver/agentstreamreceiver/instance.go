package agentstreamreceiver

import (
	"go.opentelemetry.io/collector/receiver"

	"github.com/tailspan/tailspan/otlp"
)

// instanceID is service.instance.id of the receiver's metrics: another one for each collector and for each receiver in it.
// It stays over a restart if that of the collector does (service::telemetry::resource).
func instanceID(set *receiver.Settings) string {
	if of, ok := set.Resource.Attributes().Get(otlp.AttrServiceInstanceID); ok {
		return otlp.NewInstanceID(of.AsString(), set.ID.String())
	}
	return otlp.NewInstanceID()
}
