package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/logs"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// kind is the visualisation of a panel.
type kind int

const (
	number kind = iota
	lines
	bars
	rows
	records
	trace
)

// Panel is one panel of a dashboard.
type Panel struct {
	Title       string
	Description string
	Queries     []Query
	kind        kind
	unit        string
	width       uint32
	height      uint32
	links       []link
	join        bool // several queries form one table
}

// link leads from a row to a dashboard.
type link struct{ title, url string }

// about returns the panel with a description.
func (p Panel) about(description string) Panel {
	p.Description = description
	return p
}

// Board is a dashboard.
type Board struct {
	UID, Title  string
	Description string
	Rows        []Row
	variables   []cog.Builder[dashboard.VariableModel]
	from        string
}

// Row is a group of panels below a heading.
type Row struct {
	Title  string
	Panels []Panel
}

// Panels returns all panels of a dashboard.
func (b Board) Panels() []Panel {
	var all []Panel
	for _, row := range b.Rows {
		all = append(all, row.Panels...)
	}
	return all
}

// Build returns the dashboard in the form of the SDK.
func (b Board) Build() (dashboard.Dashboard, error) {
	d := dashboard.NewDashboardBuilder(b.Title).Uid(b.UID).Description(b.Description).Tags([]string{"tailspan"}).
		Timezone(common.TimeZoneBrowser).Refresh("30s").Time("now-"+b.from, "now").Tooltip(dashboard.DashboardCursorSyncCrosshair).Readonly()
	for _, v := range b.variables {
		d = d.WithVariable(v)
	}
	others := dashboard.NewDashboardLinkBuilder("tailspan").Type(dashboard.DashboardLinkTypeDashboards).Tags([]string{"tailspan"})
	d = d.Link(others.KeepTime(true).IncludeVars(false))
	for _, row := range b.Rows {
		d = d.WithRow(dashboard.NewRowBuilder(row.Title))
		for _, p := range row.Panels {
			panel, err := p.builder()
			if err != nil {
				return dashboard.Dashboard{}, fmt.Errorf("build panel %q of %q: %w", p.Title, b.Title, err)
			}
			d = d.WithPanel(panel)
		}
	}
	return d.Build()
}

// noValue is the text of an empty panel.
const noValue = "none"

func (p Panel) builder() (cog.Builder[dashboard.Panel], error) {
	source := p.Queries[0].Source
	height := max(p.height, 4)
	switch p.kind {
	case number:
		b := stat.NewPanelBuilder().
			Title(p.Title).Description(p.Description).Datasource(ref(source)).
			Span(p.width).Height(height).Unit(p.unit).NoValue(noValue).
			ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
		return targets(b, p.Queries), nil
	case lines:
		b := timeseries.NewPanelBuilder().
			Title(p.Title).Description(p.Description).Datasource(ref(source)).
			Span(p.width).Height(height).Unit(p.unit).NoValue(noValue).
			Min(0).FillOpacity(15).ShowPoints(common.VisibilityModeAuto)
		return targets(b, p.Queries), nil
	case bars:
		b := bargauge.NewPanelBuilder().
			Title(p.Title).Description(p.Description).Datasource(ref(source)).
			Span(p.width).Height(height).Unit(p.unit).NoValue(noValue).
			Min(0).Orientation(common.VizOrientationHorizontal).DisplayMode(common.BarGaugeDisplayModeBasic)
		return targets(b, p.Queries), nil
	case rows:
		return p.table(source, height), nil
	case records:
		b := logs.NewPanelBuilder().
			Title(p.Title).Description(p.Description).Datasource(ref(source)).
			Span(p.width).Height(height).
			ShowTime(true).WrapLogMessage(true).EnableLogDetails(true).SortOrder(common.LogsSortOrderAscending).DedupStrategy(common.LogsDedupStrategyNone)
		return targets(b, p.Queries), nil
	case trace:
		b := dashboard.NewPanelBuilder().Type("traces").
			Title(p.Title).Description(p.Description).Datasource(ref(source)).
			Span(p.width).Height(height).Options(map[string]any{})
		return targets(b, p.Queries), nil
	}
	return nil, fmt.Errorf("no panel of kind %d", p.kind)
}

func (p Panel) table(source Source, height uint32) cog.Builder[dashboard.Panel] {
	b := table.NewPanelBuilder().
		Title(p.Title).Description(p.Description).Datasource(ref(source)).
		Span(p.width).Height(height).Unit(p.unit).NoValue(noValue).
		ShowHeader(true).Filterable(true).Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{"sum"}))
	switch {
	case source == Logs:
		// The plugin returns all fields of a record in one column.
		fields := map[string]any{"source": "labels", "format": "json", "replace": true, "keepTime": true}
		b = b.WithTransformation(dashboard.DataTransformerConfig{Id: "extractFields", Options: fields})
	case p.join:
		b = b.WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}})
	}
	if source == Metrics {
		b = b.WithTransformation(dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{"excludeByName": map[string]bool{"Time": true}}})
	}
	for _, l := range p.links {
		b = b.DataLinks([]cog.Builder[dashboard.DashboardLink]{dashboard.NewDashboardLinkBuilder(l.title).Type(dashboard.DashboardLinkTypeLink).Url(l.url)})
	}
	return targets(b, p.Queries)
}

// targeter has the methods that all panel builders share.
type targeter[T any] interface {
	cog.Builder[dashboard.Panel]
	WithTarget(cog.Builder[variantsDataquery]) T
}

func targets[T targeter[T]](b T, queries []Query) cog.Builder[dashboard.Panel] {
	for i, q := range queries {
		b = b.WithTarget(q.target(string(rune('A' + i))))
	}
	return b
}

// Units of panels.
const (
	unitNone    = units.NoUnit
	unitShare   = units.PercentUnit
	unitSeconds = units.Seconds
	unitDollars = units.Dollars
	unitBytes   = units.BytesIEC
	unitCount   = units.Short
)
