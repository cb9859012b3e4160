package servers

// Flags of the servers besides addresses and paths, the same as in docker-compose.yaml.
var (
	// VictoriaLogsFlags set a retention of a week.
	VictoriaLogsFlags = []string{"-retentionPeriod=7d"}
	// VictoriaMetricsFlags select the names that Prometheus gives series, and a retention of one month.
	VictoriaMetricsFlags = []string{"-opentelemetry.usePrometheusNaming", "-retentionPeriod=1"}
	// VMAlertFlags make vmalert evaluate rules without an Alertmanager.
	VMAlertFlags = []string{"-evaluationInterval=15s", "-notifier.blackhole"}
)
