// Command stack runs the observability stack of docker-compose.yaml as local processes: the collector, Jaeger, VictoriaLogs,
// VictoriaMetrics with vmalert, Prometheus if it is installed, and the sample agents. `make stack` builds what it needs and
// starts it.
//
// It is a separate module, so the dependencies of dashboards and tests are no dependencies of tailspan.
package main
