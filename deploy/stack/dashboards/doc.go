// Package dashboards builds the Grafana dashboards of the stack with Grafana's foundation SDK: runs, one run, tools, and the
// health of tailspan itself. `go generate` writes them to ../grafana/dashboards, where Grafana and the tests read them.
//
// Every query is a [Query], so that a test can execute all of them: PromQL for VictoriaMetrics, which Prometheus accepts too,
// LogsQL for VictoriaLogs, and searches of its API for Jaeger.
package dashboards

//go:generate go run ./write ../grafana/dashboards
