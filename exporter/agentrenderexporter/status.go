package agentrenderexporter

import (
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// status is the component status, as last reported.
type status struct {
	host    component.Host
	failing bool
}

// report reports a failed write as a recoverable error, and the first successful one after that as OK.
func (s *status) report(err error) {
	switch {
	case s.host == nil:
	case err != nil && !s.failing:
		s.failing = true
		componentstatus.ReportStatus(s.host, componentstatus.NewRecoverableErrorEvent(err))
	case err == nil && s.failing:
		s.failing = false
		componentstatus.ReportStatus(s.host, componentstatus.NewEvent(componentstatus.StatusOK))
	}
}
