package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// Variables of the dashboards. $pipeline and $step are regular expressions, in PromQL and in LogsQL.
const (
	matchMetrics = `cicd_pipeline_name=~"$pipeline",cicd_pipeline_task_name=~"$step"`
	matchLogs    = `{"cicd.pipeline.name"=~"$pipeline","cicd.pipeline.task.name"=~"$step"}`
)

// all is the value of "All". It also matches telemetry without a pipeline.
const all = ".*"

func pipelineVariables() []cog.Builder[dashboard.VariableModel] {
	return []cog.Builder[dashboard.VariableModel]{
		choice("pipeline", "Pipeline", `label_values(tailspan_runs_total, cicd_pipeline_name)`),
		choice("step", "Step", `label_values(tailspan_runs_total{cicd_pipeline_name=~"$pipeline"}, cicd_pipeline_task_name)`),
	}
}

func choice(name, label, query string) cog.Builder[dashboard.VariableModel] {
	every := dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}}
	return dashboard.NewQueryVariableBuilder(name).Label(label).Datasource(ref(Metrics)).Query(dashboard.StringOrMap{String: &query}).Definition(query).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalAsc).Multi(true).IncludeAll(true).AllValue(all).
		Current(dashboard.VariableOption{Selected: cog.ToPtr(true), Text: dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}}, Value: every})
}

func text(name, label, description string) cog.Builder[dashboard.VariableModel] {
	return dashboard.NewTextBoxVariableBuilder(name).Label(label).Description(description)
}

func variablesOfRun() []cog.Builder[dashboard.VariableModel] {
	return []cog.Builder[dashboard.VariableModel]{text("trace", "Trace", "The id of the trace: trace_id of any record of the run.")}
}
