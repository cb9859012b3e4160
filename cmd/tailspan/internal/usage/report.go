package usage

import (
	"fmt"
	"io"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/redact"
)

// Report holds the usage in rows.
type Report struct {
	By     []Dimension
	Zone   *time.Location
	Period Period
	Rows   []Row
	Total  Sum

	Files        int // files read
	Unreadable   []error
	Unrecognized int // lines of unknown formats
	TooLong      int // lines over the limit, which were read in part
}

func (r *Report) take(rows []Row, secrets *redact.Redactor) {
	r.Rows = rows
	for i := range rows {
		r.Total.add(&rows[i].Sum)
		for j, text := range rows[i].Of {
			if secrets != nil {
				rows[i].Of[j] = secrets.String(text)
			}
		}
	}
}

// jsonSum is the JSON form of a sum.
type jsonSum struct {
	Input       int64   `json:"input_tokens"`
	CacheRead   int64   `json:"cache_read_tokens"`
	CacheWrite  int64   `json:"cache_write_tokens"`
	Output      int64   `json:"output_tokens"`
	Reasoning   int64   `json:"reasoning_tokens"`
	Total       int64   `json:"total_tokens"`
	CostUSD     float64 `json:"cost_usd"`
	EstimateUSD float64 `json:"cost_estimated_usd"` // the estimated part of the cost
}

func (s *Sum) json() jsonSum {
	return jsonSum{
		s.Tokens.Input, s.Tokens.CacheRead, s.Tokens.CacheWrite, s.Tokens.Output, s.Tokens.Reasoning, s.Total(), s.Cost().USD(), s.Estimate.USD(),
	}
}

// jsonRow is the JSON form of a row; unknown values are null.
type jsonRow struct {
	Of map[string]*string `json:"of"`
	jsonSum
}

// WriteJSON writes the report as one JSON document.
func (r *Report) WriteJSON(w io.Writer) error {
	out := struct {
		By           []string   `json:"by"`
		Zone         string     `json:"time_zone"`
		Since        *time.Time `json:"since,omitempty"`
		Until        *time.Time `json:"until,omitempty"`
		Rows         []jsonRow  `json:"rows"`
		Total        jsonSum    `json:"total"`
		Files        int        `json:"files"`
		Unreadable   int        `json:"unreadable_files"`
		Unrecognized int        `json:"unrecognized_lines"`
		TooLong      int        `json:"too_long_lines"`
	}{
		Zone: r.Zone.String(), Since: timeOrNil(r.Period.Begin), Until: timeOrNil(r.Period.End), Rows: []jsonRow{}, Total: r.Total.json(),
		Files: r.Files, Unreadable: len(r.Unreadable), Unrecognized: r.Unrecognized, TooLong: r.TooLong,
	}
	for _, d := range r.By {
		out.By = append(out.By, d.String())
	}
	for i := range r.Rows {
		row := jsonRow{map[string]*string{}, r.Rows[i].json()}
		for j, d := range r.By {
			if row.Of[d.String()] = nil; r.Rows[i].Of[j] != "" {
				row.Of[d.String()] = &r.Rows[i].Of[j]
			}
		}
		out.Rows = append(out.Rows, row)
	}
	e := cli.NewJSONEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(&out); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
