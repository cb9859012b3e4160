// Package dashboards makes the Grafana dashboards of the stack with Grafana's foundation SDK: runs, one run, tools, and the
// health of tailspan itself. `go generate` writes them to ../grafana/dashboards, where Grafana and the tests read them.
//
// Every query is a [Query], so that a test can execute all of them: those for VictoriaMetrics are PromQL, which Prometheus
// answers too, those for VictoriaLogs LogsQL, and those for Jaeger searches of its API.
package dashboards

//go:generate go run ./write ../grafana/dashboards
