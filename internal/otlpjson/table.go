package otlpjson

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// WriteTo prints the summary as readable tables. Cells come from files that others wrote, so control sequences for terminals
// are escaped.
func (s *Summary) WriteTo(w io.Writer) (int64, error) {
	out := &countingWriter{w: w}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)

	fmt.Fprintln(t, "SERVICE\tSESSION\tRUNS\tFAILED\tSUB-AGENTS\tMODEL CALLS\tTOOLS\tFAILED\tINPUT TOKENS\tOUTPUT TOKENS")
	for i := range s.Sessions {
		row := &s.Sessions[i]
		writeSession(t, cell(row.Service), cell(row.Conversation), row)
	}
	total := s.Total()
	writeSession(t, "total", strconv.Itoa(len(s.Sessions)), &total)
	if len(s.Models) > 0 {
		fmt.Fprintln(t, "\nMODEL\tCALLS\tINPUT TOKENS\tOUTPUT TOKENS")
		for _, m := range s.Models {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\n", cell(m.Name), m.Calls, m.Tokens.Input, m.Tokens.Output)
		}
		fmt.Fprintln(t, "(as reported by each model call, 0 if it reports none, as Claude Code does for output without partial messages; "+
			"the runs above have the totals)")
	}
	if len(s.Tools) > 0 {
		fmt.Fprintln(t, "\nTOOL\tCALLS\tFAILED")
		for _, tool := range s.Tools {
			fmt.Fprintf(t, "%s\t%d\t%d\n", cell(tool.Name), tool.Calls, tool.Failed)
		}
	}
	fmt.Fprintf(t, "\n%d spans in %d traces, %d of them with an error; %d log records, %d of them errors\n",
		s.Spans, s.Traces, s.FailedSpans, s.Records, s.ErrorRecords)
	err := t.Flush()
	return out.n, err
}

func writeSession(w io.Writer, service, name string, row *Session) {
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", service, name,
		row.Runs, row.FailedRuns, row.Agents, row.Calls, row.Tools, row.FailedTools, row.Tokens.Input, row.Tokens.Output)
}

// cell formats s as one cell of a table: "-" if it is empty, and quoted if it contains anything but printable runes.
func cell(s string) string {
	if s == "" {
		return "-"
	}
	quoted := strconv.Quote(s)
	if quoted == `"`+s+`"` {
		return s
	}
	return quoted
}

// countingWriter counts bytes for WriteTo. tabwriter keeps the first error of its writer until Flush.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
