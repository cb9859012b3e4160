package servers

// Flags of the servers beside addresses and paths; docker-compose.yaml has the same ones.
var (
	// VictoriaLogsFlags keep a week.
	VictoriaLogsFlags = []string{"-retentionPeriod=7d"}
	// VictoriaMetricsFlags give the series the names that Prometheus gives them, and keep a month.
	VictoriaMetricsFlags = []string{"-opentelemetry.usePrometheusNaming", "-retentionPeriod=1"}
	// VMAlertFlags evaluate rules without an Alertmanager.
	VMAlertFlags = []string{"-evaluationInterval=15s", "-notifier.blackhole"}
)
