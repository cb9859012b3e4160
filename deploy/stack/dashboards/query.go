package dashboards

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// Source is the server that answers a query.
type Source string

const (
	Metrics Source = "victoriametrics"
	Logs    Source = "victorialogs"
	Traces  Source = "jaeger"
)

// plugins maps sources to the types of Grafana's data sources.
var plugins = map[Source]string{Metrics: "prometheus", Logs: LogsPlugin, Traces: "jaeger"}

// LogsPlugin is the ID of VictoriaLogs' data source plugin for Grafana.
const LogsPlugin = "victoriametrics-logs-datasource"

// ref refers to a data source by the UID in ../grafana/provisioning.
func ref(s Source) common.DataSourceRef {
	return common.DataSourceRef{Type: cog.ToPtr(plugins[s]), Uid: cog.ToPtr(string(s))}
}

// Mode is the shape of a query's result.
type Mode int

const (
	Range   Mode = iota // a value at each step
	Instant             // one value for the whole time range
	Table               // the same as rows; for logs, the records
)

// Query is one query of a panel.
type Query struct {
	Source Source
	Expr   string
	Legend string
	Mode   Mode
	// Quiet says why the result may be empty in a healthy stack. If it is "", the result must not be empty.
	Quiet string
}

// target returns the query in the form of the SDK.
func (q Query) target(id string) cog.Builder[variants.Dataquery] {
	switch q.Source {
	case Logs:
		return fixed{&logsQuery{RefID: id, Datasource: ref(Logs), Expr: q.Expr, QueryType: logsQueryType(q.Mode), LegendFormat: q.Legend, MaxLines: 1000}}
	case Traces:
		return fixed{&tracesQuery{RefID: id, Datasource: ref(Traces), Query: q.Expr}}
	}
	b := prometheus.NewDataqueryBuilder().RefId(id).Datasource(ref(Metrics)).Expr(q.Expr).EditorMode(prometheus.QueryEditorModeCode)
	if q.Legend != "" {
		b = b.LegendFormat(q.Legend)
	}
	switch q.Mode {
	case Instant:
		return b.Instant()
	case Table:
		return b.Instant().Format(prometheus.PromQueryFormatTable)
	}
	return b.Range()
}

func logsQueryType(m Mode) string {
	return map[Mode]string{Range: "statsRange", Instant: "stats", Table: "instant"}[m]
}

// fixed is a builder of an existing query.
type fixed struct{ query variants.Dataquery }

func (f fixed) Build() (variants.Dataquery, error) { return f.query, nil }

// logsQuery is a query for VictoriaLogs' plugin 0.34, which the SDK does not support.
type logsQuery struct {
	RefID        string               `json:"refId"`
	Datasource   common.DataSourceRef `json:"datasource"`
	Expr         string               `json:"expr"`
	QueryType    string               `json:"queryType"`
	LegendFormat string               `json:"legendFormat,omitempty"`
	MaxLines     int                  `json:"maxLines,omitempty"`
}

func (*logsQuery) ImplementsDataqueryVariant() {}
func (*logsQuery) DataqueryType() string       { return LogsPlugin }
func (*logsQuery) Validate() error             { return nil }
func (q *logsQuery) Equals(other variants.Dataquery) bool {
	return reflect.DeepEqual(q, other)
}

// tracesQuery is a query for Grafana's Jaeger data source: a trace by its ID.
type tracesQuery struct {
	RefID      string               `json:"refId"`
	Datasource common.DataSourceRef `json:"datasource"`
	Query      string               `json:"query"`
}

func (*tracesQuery) ImplementsDataqueryVariant() {}
func (*tracesQuery) DataqueryType() string       { return "jaeger" }
func (*tracesQuery) Validate() error             { return nil }
func (q *tracesQuery) Equals(other variants.Dataquery) bool {
	return reflect.DeepEqual(q, other)
}

// Register makes the SDK read the query types that it does not support. Call it once before dashboards are read.
func Register() {
	cog.NewRuntime().RegisterDataqueryVariant(variants.DataqueryConfig{
		Identifier: LogsPlugin, DataqueryUnmarshaler: strict[*logsQuery](), StrictDataqueryUnmarshaler: strict[*logsQuery](),
	})
	cog.NewRuntime().RegisterDataqueryVariant(variants.DataqueryConfig{
		Identifier: "jaeger", DataqueryUnmarshaler: strict[*tracesQuery](), StrictDataqueryUnmarshaler: strict[*tracesQuery](),
	})
}

func strict[T variants.Dataquery]() func([]byte) (variants.Dataquery, error) {
	return func(raw []byte) (variants.Dataquery, error) {
		var q T
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&q)
		return q, err
	}
}

// variantsDataquery shortens a signature.
type variantsDataquery = variants.Dataquery
