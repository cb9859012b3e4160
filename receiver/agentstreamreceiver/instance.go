package agentstreamreceiver

import (
	"go.opentelemetry.io/collector/receiver"

	"github.com/tailspan/tailspan/telemetry"
)

// instanceID is service.instance.id of the receiver's metrics: another one for each collector and for each receiver in it.
// It stays over a restart if that of the collector does (service::telemetry::resource).
func instanceID(set *receiver.Settings) string {
	if of, ok := set.Resource.Attributes().Get(telemetry.AttrServiceInstanceID); ok {
		return telemetry.NewInstanceID(of.AsString(), set.ID.String())
	}
	return telemetry.NewInstanceID()
}
