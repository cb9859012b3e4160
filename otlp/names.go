package otlp

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Every attribute, event and span name that tailspan emits is in this file, so that a change of the conventions only
// changes this file. Sources: OpenTelemetry semantic conventions for generative AI v0.1.0 (2026-08 texts) and v1.41.0;
// for the rest, semantic conventions v1.44.0.

// ScopeName is the instrumentation scope of all spans and records.
const ScopeName = "github.com/tailspan/tailspan"

// Names that both supported versions of the GenAI conventions share.
const (
	AttrGenAIOperationName      = "gen_ai.operation.name"
	AttrGenAIProviderName       = "gen_ai.provider.name"
	AttrGenAIRequestModel       = "gen_ai.request.model"
	AttrGenAIResponseModel      = "gen_ai.response.model"
	AttrGenAIResponseID         = "gen_ai.response.id"
	AttrGenAIConversationID     = "gen_ai.conversation.id"
	AttrGenAIAgentName          = "gen_ai.agent.name"
	AttrGenAIToolName           = "gen_ai.tool.name"
	AttrGenAIToolCallID         = "gen_ai.tool.call.id"
	AttrGenAIToolType           = "gen_ai.tool.type"
	AttrGenAIToolArguments      = "gen_ai.tool.call.arguments"
	AttrGenAIToolResult         = "gen_ai.tool.call.result"
	AttrGenAIInputMessages      = "gen_ai.input.messages"
	AttrGenAIOutputMessages     = "gen_ai.output.messages"
	AttrGenAISystemInstructions = "gen_ai.system_instructions"
	AttrGenAIFinishReasons      = "gen_ai.response.finish_reasons"

	AttrGenAIInputTokens     = "gen_ai.usage.input_tokens"
	AttrGenAIOutputTokens    = "gen_ai.usage.output_tokens"
	AttrGenAICacheRead       = "gen_ai.usage.cache_read.input_tokens"
	AttrGenAIReasoningTokens = "gen_ai.usage.reasoning.output_tokens"

	AttrGenAITokenType     = "gen_ai.token.type"
	AttrGenAITokenModality = "gen_ai.token.modality"
	AttrMetricOverflow     = "otel.metric.overflow"

	AttrErrorType         = "error.type"
	AttrStatusCode        = "otel.status_code" // on failed spans: some back ends cannot search by status
	AttrSessionID         = "session.id"
	AttrSessionPrevious   = "session.previous_id"
	AttrProcessExecutable = "process.executable.name"
	AttrProcessExitCode   = "process.exit.code"
	AttrProcessWorkDir    = "process.working_directory"
	AttrVCSHeadName       = "vcs.ref.head.name"
	AttrLogRecordUID      = "log.record.uid"
	AttrLogFileName       = "log.file.name"
	AttrLogFilePath       = "log.file.path"

	AttrServiceName       = "service.name"
	AttrServiceVersion    = "service.version"
	AttrServiceInstanceID = "service.instance.id"

	AttrVCSHeadRevision  = "vcs.ref.head.revision"
	AttrVCSBaseName      = "vcs.ref.base.name"
	AttrVCSChangeID      = "vcs.change.id"
	AttrVCSRepositoryURL = "vcs.repository.url.full"

	AttrPipelineRunURL = "cicd.pipeline.run.url.full"
	AttrTaskRunURL     = "cicd.pipeline.task.run.url.full"
	AttrPipelineName   = "cicd.pipeline.name"
	AttrPipelineRunID  = "cicd.pipeline.run.id"
	AttrPipelineResult = "cicd.pipeline.result"
	AttrTaskName       = "cicd.pipeline.task.name"
	AttrTaskRunID      = "cicd.pipeline.task.run.id"
	AttrTaskRunResult  = "cicd.pipeline.task.run.result"
)

// Names that differ between the versions; see [Semconv].
const (
	attrCacheWriteV01  = "gen_ai.usage.cache_write.input_tokens"
	attrCacheWriteV141 = "gen_ai.usage.cache_creation.input_tokens"

	// Since genai-0.1; tailspan uses its own name for v1.41.
	attrCompactedV01  = "gen_ai.conversation.compacted"
	attrCompactedV141 = "tailspan.conversation.compacted"
)

// Values of the conventions.
const (
	OperationChat        = "chat"
	OperationInvokeAgent = "invoke_agent"
	OperationExecuteTool = "execute_tool"

	ToolTypeFunction  = "function"
	ToolTypeExtension = "extension"

	// ModalityUnknown: no format counts tokens by modality.
	ModalityUnknown = "unknown"

	ResultSuccess      = "success"
	ResultFailure      = "failure"
	ResultError        = "error" // the agent was killed or crashed
	ResultTimeout      = "timeout"
	ResultIncomplete   = "incomplete" // not a value of the conventions: nothing shows how the run ended
	ResultCancellation = "cancellation"

	StatusCodeError = "ERROR"

	ErrorTypeTool     = "tool_error"
	ErrorTypeDenied   = "permission_denied"
	ErrorTypeNoResult = "no_result"
)

// EndCodeIncomplete is the code of an end that the agent did not write itself.
const EndCodeIncomplete = "incomplete"

// Metrics that no convention defines.
const (
	MetricCost        = "tailspan.cost"        // cost of the agents' work
	MetricRuns        = "tailspan.runs"        // finished runs
	MetricToolCalls   = "tailspan.tool.calls"  // finished tool calls
	MetricRetries     = "tailspan.retries"     // retried model calls
	MetricCompactions = "tailspan.compactions" // compacted conversations
)

// Names that no convention defines.
const (
	AttrCloseReason     = "tailspan.close.reason"
	AttrTimeSource      = "tailspan.time.source"
	AttrTimeClamped     = "tailspan.time.clamped"
	AttrBackground      = "tailspan.background"
	AttrRunKey          = "tailspan.run.key"
	AttrRunOutcome      = "tailspan.run.outcome" // ok, error, interrupted, killed or incomplete
	AttrParentUnknown   = "tailspan.parent.unknown"
	AttrModels          = "tailspan.models"
	AttrModelsOverflow  = "tailspan.models.overflow" // there were more than the list has
	AttrTurns           = "tailspan.turns"
	AttrToolCalls       = "tailspan.tool.calls"
	AttrToolErrors      = "tailspan.tool.errors"
	AttrCostUSD         = "tailspan.cost.usd"
	AttrCostEstimated   = "tailspan.cost.estimated" // computed from a list of prices
	AttrUsageInput      = "tailspan.usage.input_tokens"
	AttrUsageOutput     = "tailspan.usage.output_tokens"
	AttrUsageCacheRead  = "tailspan.usage.cache_read.input_tokens"
	AttrUsageCacheWrite = "tailspan.usage.cache_write.input_tokens"
	AttrUsageReasoning  = "tailspan.usage.reasoning.output_tokens"
	AttrUsageModels     = "tailspan.usage.models" // slice of maps: the total of each model, if there are several
	AttrUsageScope      = "tailspan.usage.scope"
	AttrUsagePricing    = "tailspan.usage.pricing"    // map: price list, USD per million tokens
	AttrUsageIncomplete = "tailspan.usage.incomplete" // the total lacks tokens
	AttrUsageRun        = "tailspan.usage.run"        // map: usage of the run that the record ends

	AttrSessionCacheHit  = "tailspan.usage.session.cache_hit"
	AttrSessionCacheMiss = "tailspan.usage.session.cache_miss"

	// The provider's count, where it differs.
	AttrProviderInput      = "tailspan.usage.provider.input_tokens"
	AttrProviderOutput     = "tailspan.usage.provider.output_tokens"
	AttrProviderCacheRead  = "tailspan.usage.provider.cache_read_tokens"
	AttrProviderCacheWrite = "tailspan.usage.provider.cache_write_tokens"
	AttrProviderReasoning  = "tailspan.usage.provider.reasoning_tokens"

	// Parts of the cache writes: kept for five minutes and for an hour.
	AttrUsageCacheWrite5m = "tailspan.usage.cache_write_5m.input_tokens"
	AttrUsageCacheWrite1h = "tailspan.usage.cache_write_1h.input_tokens"
	AttrUsageServiceTier  = "tailspan.usage.service_tier"
	AttrUsageSpeed        = "tailspan.usage.speed"
	AttrUsageWebSearches  = "tailspan.usage.web_search_requests"
	AttrUsageWebFetches   = "tailspan.usage.web_fetch_requests"

	AttrSequence     = "tailspan.sequence"
	AttrStreamID     = "tailspan.stream.id" // on the scope of records
	AttrProvider     = "tailspan.provider"
	AttrMessageID    = "tailspan.message.id"
	AttrTurnID       = "tailspan.turn.id"
	AttrParentCallID = "tailspan.parent.call.id"
	AttrAgentID      = "tailspan.agent.id"
	AttrDelta        = "tailspan.delta"
	AttrSynthetic    = "tailspan.synthetic"
	AttrReasoning    = "tailspan.reasoning"
	AttrTruncated    = "tailspan.truncated"    // content was cut to its limit
	AttrContentSize  = "tailspan.content.size" // bytes of a text that is empty or not captured; the body is a line instead

	AttrToolTarget    = "tailspan.tool.target"
	AttrToolAgentType = "tailspan.tool.agent_type"
	AttrToolAgentID   = "tailspan.tool.agent_id"
	AttrToolServer    = "tailspan.tool.server"
	AttrToolKind      = "tailspan.tool.kind"
	AttrToolReadOnly  = "tailspan.tool.read_only"
	AttrToolPartial   = "tailspan.tool.partial"
	AttrToolState     = "tailspan.tool.state"
	AttrToolError     = "tailspan.tool.error"
	AttrToolErrText   = "tailspan.tool.error.message"
	AttrToolDenied    = "tailspan.tool.denied"
	AttrToolSummary   = "tailspan.tool.summary"
	AttrToolLines     = "tailspan.tool.lines"
	AttrToolSize      = "tailspan.tool.size"
	AttrToolTruncated = "tailspan.tool.truncated"
	AttrToolDuration  = "tailspan.tool.duration_s"

	AttrToolApprovalWait = "tailspan.tool.approval_wait_s" // before the call's span, if its real time is known
	AttrToolMessage      = "tailspan.tool.message"         // the text of a progress event

	AttrNoticeCode  = "tailspan.notice.code"
	AttrNoticeLevel = "tailspan.notice.level"

	AttrPermissionMode = "tailspan.permission_mode"

	AttrProcessSignal  = "tailspan.process.signal"  // the signal that ended the process, such as SIGTERM
	AttrProcessStderr  = "tailspan.process.stderr"  // the end of its standard error
	AttrProcessDropped = "tailspan.process.dropped" // bytes of its output that were lost

	AttrProcessStopReason = "tailspan.process.stop_reason" // the limit that caused tailspan to stop it

	AttrEndError       = "tailspan.end.error"
	AttrEndInterrupted = "tailspan.end.interrupted"
	AttrEndCode        = "tailspan.end.code"
	AttrEndResult      = "tailspan.end.result"
	AttrEndErrText     = "tailspan.end.error.message"
	AttrEndPrinciple   = "tailspan.end.principle"
	AttrEndDuration    = "tailspan.end.duration_s"

	AttrElapsed = "tailspan.elapsed_s"
	AttrSilent  = "tailspan.silent_s"   // time since the last line of a stalled run or prompt
	AttrStepETA = "tailspan.step.eta_s" // 0 if no estimate is known

	AttrRequestID      = "tailspan.request.id"
	AttrRequestSubject = "tailspan.request.subject"
	AttrAskQuestions   = "tailspan.ask.questions" // slice of maps
	AttrAskAnswers     = "tailspan.ask.answers"   // slice of maps
)

// Keys inside the map attributes above.
const (
	keyInput      = "input_tokens"
	keyOutput     = "output_tokens"
	keyCacheRead  = "cache_read_tokens"
	keyCacheWrite = "cache_write_tokens"
	keyReasoning  = "reasoning_tokens"
	keyCost       = "cost_usd"
	keyEstimated  = "cost_estimated"
	keyModel      = "model"

	keyCacheWrite5m = "cache_write_5m_tokens"
	keyCacheWrite1h = "cache_write_1h_tokens"

	keyID          = "id"
	keyHeader      = "header"
	keyPrompt      = "prompt"
	keyMulti       = "multi"
	keyOptions     = "options"
	keyLabel       = "label"
	keyDescription = "description"
	keySelected    = "selected"
)

// eventPrefix begins every event name. The wire name of the kind or "raw" follows.
const eventPrefix = "tailspan."

// eventNames are the event names by kind, built once because every record has one.
var eventNames = func() []string {
	names := make([]string, len(events.Kinds())+1)
	for kind := range names {
		names[kind] = eventPrefix + events.Kind(kind).String()
	}
	return names
}()

func eventName(k events.Kind) string {
	if int(k) < len(eventNames) {
		return eventNames[k]
	}
	return eventPrefix + k.String()
}

// EventNameRaw is the event name of a line that is exported unchanged.
const EventNameRaw = eventPrefix + "raw"

// Event names of live records, which are about no event of the agent.
const (
	EventNameStepStarted = eventPrefix + "step_started"
	EventNameProgress    = eventPrefix + "progress"
	EventNameStalled     = eventPrefix + "stalled"
	// EventNameRunEnd is the end of a run that no line of its format ends, such as in transcripts.
	EventNameRunEnd = eventPrefix + "run_end"
	// EventNameProcessExited is the exit of a process that tailspan ran.
	EventNameProcessExited = eventPrefix + "process_exited"
)

// AttrRawCopy marks a record tailspan.raw whose line was also parsed: a copy for users who want all lines.
const AttrRawCopy = "tailspan.raw.copy"

// Semconv is the version of the GenAI conventions that defines the names.
type Semconv string

// The supported versions.
const (
	SemconvGenAI01 Semconv = "genai-0.1"
	SemconvV141    Semconv = "v1.41"
)

// SchemaURL returns the schema URL of the spans and records of this version.
func (s Semconv) SchemaURL() string {
	if s == SemconvV141 {
		return "https://opentelemetry.io/schemas/1.41.0"
	}
	return "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"
}

// cacheWrite returns the attribute for tokens written to the cache.
func (s Semconv) cacheWrite() string {
	if s == SemconvV141 {
		return attrCacheWriteV141
	}
	return attrCacheWriteV01
}

// compacted returns the attribute of a model call whose conversation was compacted before it.
func (s Semconv) compacted() string {
	if s == SemconvV141 {
		return attrCompactedV141
	}
	return attrCompactedV01
}

// CloseReason is why a span ended. Every span ends once.
type CloseReason string

// The reasons.
const (
	CloseReasonResult      CloseReason = "result"      // the format shows the end
	CloseReasonSuperseded  CloseReason = "superseded"  // the next one began first
	CloseReasonInterrupted CloseReason = "interrupted" // the user stopped it, or the agent itself, on principle
	CloseReasonKilled      CloseReason = "killed"      // a signal ended the process
	CloseReasonNoResult    CloseReason = "no_result"   // the run ended without the result
	CloseReasonTimeout     CloseReason = "timeout"     // no line came for too long
	CloseReasonTruncated   CloseReason = "truncated"   // the stream was cut short, or the line of a call's result was too long to read whole
	CloseReasonEvicted     CloseReason = "evicted"     // a limit of tailspan was reached
	CloseReasonShutdown    CloseReason = "shutdown"    // tailspan stopped reading
)

// Failed reports whether an item that closed for this reason without its own result counts as failed: it should have
// continued. Items that were interrupted, superseded, evicted or no longer read did not fail.
func (r CloseReason) Failed() bool {
	switch r {
	case CloseReasonKilled, CloseReasonTruncated, CloseReasonTimeout, CloseReasonNoResult:
		return true
	default:
		return false
	}
}

// StopReason is the limit of a run that caused tailspan to stop its process.
type StopReason string

// The limits.
const (
	StopStall     StopReason = "stall"      // no line for too long
	StopMaxCost   StopReason = "max_cost"   // too high a cost
	StopMaxTokens StopReason = "max_tokens" // too many tokens
	StopMaxTime   StopReason = "max_time"   // too long a time
)

// Kinds of tools, the values of [AttrToolKind]: the same for all providers, whatever they call a tool.
const (
	ToolKindShell  = "shell"
	ToolKindRead   = "read"
	ToolKindEdit   = "edit"
	ToolKindSearch = "search" // of files and their contents
	ToolKindWeb    = "web"
	ToolKindAgent  = "agent"
	ToolKindMCP    = "mcp"
	ToolKindOther  = "other"
)

// toolKinds maps lower-case tool names to kinds. It lists the tools of Claude Code 1.0 to 2.1, Codex 0.29 to 0.171, Gemini CLI,
// OpenCode 0.5 to 1.18 and Qwen Code in captures of November 2026, and common tools of OpenAI-compatible servers.
var toolKinds = kindsByName(map[string]string{
	ToolKindShell: `bash bashoutput killshell shell exec exec_command command_execution run_shell_command run_shell run_command
		run_terminal_cmd execute_command local_shell local_shell_call shell_command container.exec unified_exec write_stdin powershell
		terminal monitor list_background_processes read_background_output`,
	ToolKindRead: `read read_file readfile open_file read_many_files notebookread view_image ls list list_dir list_directory lsp
		get_internal_docs`,
	ToolKindEdit: `edit multiedit edit_file replace str_replace apply_patch patch patch_apply file_change notebookedit notebook_edit write
		write_file writefile create_file`,
	ToolKindSearch: "grep grep_search search_file_content ripgrep glob find find_files codesearch tool_search toolsearch",
	ToolKindWeb:    "webfetch web_fetch websearch web_search google_web_search",
	ToolKindAgent: `agent task workflow spawn_agent invoke_agent delegate codebase_investigator cli_help generalist send_input send_message
		sendmessage followup_task wait_agent resume_agent close_agent interrupt_agent list_agents listagents`,
	ToolKindMCP: "listmcpresourcestool readmcpresourcetool list_mcp_resources list_mcp_resource_templates read_mcp_resource",
})

func kindsByName(names map[string]string) map[string]string {
	kinds := map[string]string{}
	for kind, list := range names {
		for name := range strings.FieldsSeq(list) {
			kinds[name] = kind
		}
	}
	return kinds
}

// longestToolName is greater than the longest name in toolKinds.
const longestToolName = 32

// ToolKind returns the kind of a tool by its name and MCP server. agent is true if a call of it started an agent.
func ToolKind(name, server string, agent bool) string {
	if server != "" {
		return ToolKindMCP
	}
	if len(name) < longestToolName {
		var lower [longestToolName]byte // avoids an allocation per call
		for i := range len(name) {
			c := name[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			lower[i] = c
		}
		if kind := toolKinds[string(lower[:len(name)])]; kind != "" {
			return kind
		}
	}
	if agent {
		return ToolKindAgent
	}
	return ToolKindOther
}
