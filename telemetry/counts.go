package telemetry

// Counts are irregularities that left no span of their own: what streams contain other than they should, and what
// a limit cost. They are deltas since the last Take.
type Counts struct {
	LateResults   int // results after their call was closed: a record, no second span
	UnknownCalls  int // results of calls that were never seen
	LateAgents    int // events of sub-agents after their span was closed: records, no second span
	LateUsage     int // tokens and costs that came after the span of their run: in the metrics, in no span
	UnclosedCalls int // calls closed without a result
	StalledRuns   int // runs that were watched live and gave no line for StallAfter
	ClampedSpans  int // calls that ended before their start, or outside of their maker's time
	// ImplausibleTokens are usages of more than 2^40 tokens, which are ignored.
	ImplausibleTokens int
	// ImplausibleDurations are spans that the times of their lines make longer than events.MaxDuration; no metric has them.
	ImplausibleDurations int

	Copied       int // events that are history of another session, as the format marks them or as equal content shows
	OtherAccount int // events of a run that another stream exports, such as a transcript beside the stream

	UnlistedModels     int // events whose model an agent's list has no room for
	DroppedArguments   int // captured arguments that the span of a call lacks, because too many were held
	EvictedCalls       int // calls closed because too many were open
	EvictedAgents      int // sub-agents closed because too many were at work
	DeepAgents         int // events of sub-agents that lie too deep in others: they count as the work of the innermost that has a span
	ForcedRuns         int // runs that got their key from what was there, because too many events waited for a better one
	ForgottenIDs       int // ids that were evicted, which would be taken for new if they came again
	ForgottenPipelines int // pipeline runs and steps whose span is out, and would go out again
}

// reasons are the counts by the words that a metric's attribute has for them.
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
	}
}

type reason struct {
	name  string
	count *int
}

// add adds the counts of another.
func (c *Counts) add(o *Counts) {
	others := o.reasons()
	for i, r := range c.reasons() {
		*r.count += *others[i].count
	}
}

// ByReason iterates over the counts by the words that a metric's attribute has for them.
func (c *Counts) ByReason(yield func(reason string, n int) bool) {
	for _, r := range c.reasons() {
		if !yield(r.name, *r.count) {
			return
		}
	}
}
