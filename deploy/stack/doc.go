// Command stack runs the observability stack of docker-compose.yaml as processes of this machine: the collector, Jaeger,
// VictoriaLogs, VictoriaMetrics with vmalert, Prometheus where there is one, and the sample agents. `make stack` builds what
// it needs and starts it.
//
// It is a module of its own, so that what only dashboards and tests need is no dependency of tailspan.
package main
