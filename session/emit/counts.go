package emit

// Counts are irregularities that left no separate span: unexpected content of streams and effects of limits. They are
// deltas since the last Take.
type Counts struct {
	LateResults   int // results after their call was closed: a record, no second span
	UnknownCalls  int // results of calls that were never seen
	LateAgents    int // events of sub-agents after their span was closed: records, no second span
	LateUsage     int // tokens and costs reported after the span of their run: in the metrics, in no span
	UnclosedCalls int // calls closed without a result
	StalledRuns   int // runs and prompts without a line for StallAfter
	ClampedSpans  int // calls that ended before their start or outside of their agent's time
	// ImplausibleTokens are usages of more than 2^40 tokens, which are ignored.
	ImplausibleTokens int
	// ImplausibleDurations are spans longer than events.MaxDuration by the times of their lines, which metrics omit.
	ImplausibleDurations int

	Copied       int // events that are history of another session, marked by the format or proven by equal content
	OtherAccount int // events of a run that another stream exports, such as a transcript beside the stream, or totals of another run
	// EmptySessions are transcripts without a prompt; they open no run.
	EmptySessions int

	UnlistedModels     int // events whose model did not fit in an agent's list
	DroppedArguments   int // captured arguments missing on the span of a call, because too many were stored
	EvictedCalls       int // calls closed because too many were open
	EvictedAgents      int // sub-agents closed because too many were active
	DeepAgents         int // events of too deeply nested sub-agents, counted as work of the innermost one with a span
	ForcedRuns         int // runs that got their key early, because too many events waited for a better one
	ForgottenIDs       int // evicted IDs, which would count as new if they occurred again
	ForgottenPipelines int // evicted pipeline runs and steps, whose spans would be exported again
}

// reasons returns the counts with their values of the metric's attribute.
func (c *Counts) reasons() []reason {
	return []reason{
		{"late_result", &c.LateResults},
		{"late_agent", &c.LateAgents},
		{"late_usage", &c.LateUsage},
		{"unknown_call", &c.UnknownCalls},
		{"no_result", &c.UnclosedCalls},
		{"stalled_run", &c.StalledRuns},
		{"clamped_span", &c.ClampedSpans},
		{"implausible_tokens", &c.ImplausibleTokens},
		{"implausible_duration", &c.ImplausibleDurations},
		{"unlisted_model", &c.UnlistedModels},
		{"dropped_arguments", &c.DroppedArguments},
		{"evicted_call", &c.EvictedCalls},
		{"evicted_agent", &c.EvictedAgents},
		{"deep_agent", &c.DeepAgents},
		{"forced_run", &c.ForcedRuns},
		{"forgotten_id", &c.ForgottenIDs},
		{"forgotten_pipeline", &c.ForgottenPipelines},
		{"copied", &c.Copied},
		{"other_account", &c.OtherAccount},
		{"empty_session", &c.EmptySessions},
	}
}

type reason struct {
	name  string
	count *int
}

// Add adds other counts.
func (c *Counts) Add(o *Counts) {
	if *o == (Counts{}) {
		return
	}
	others := o.reasons()
	for i, r := range c.reasons() {
		*r.count += *others[i].count
	}
}

// ByReason iterates over the counts with their values of the metric's attribute. Nearly all batches have none.
func (c *Counts) ByReason(yield func(reason string, n int) bool) {
	if *c == (Counts{}) {
		return
	}
	for _, r := range c.reasons() {
		if !yield(r.name, *r.count) {
			return
		}
	}
}
