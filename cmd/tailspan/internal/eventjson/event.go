package eventjson

import (
	"time"

	"github.com/tailspan/tailspan/events"
)

// eventJSON is the form in which `tailspan events` prints an event. Fields that an event lacks are left out, except those that
// its kind always has: name and arg of a tool_use, error of a tool_result and a session_end.
type eventJSON struct {
	Kind      string  `json:"kind"`
	Time      string  `json:"time,omitempty"`
	SessionID string  `json:"session_id,omitempty"`
	TurnID    string  `json:"turn_id,omitempty"`
	MessageID string  `json:"message_id,omitempty"`
	ItemID    string  `json:"item_id,omitempty"`
	Parent    string  `json:"parent,omitempty"`
	AgentID   string  `json:"agent_id,omitempty"`
	Model     string  `json:"model,omitempty"`
	Served    string  `json:"model_provider,omitempty"` // provider that serves the model
	Synthetic bool    `json:"synthetic,omitempty"`
	Abridged  bool    `json:"abridged,omitempty"`
	Delta     bool    `json:"delta,omitempty"`
	Copied    bool    `json:"copied,omitempty"`
	Text      *string `json:"text,omitempty"`
	Reasoning string  `json:"reasoning,omitempty"` // of a message

	*toolJSON
	*usageJSON
	*noticeJSON
	*sessionJSON
	*endJSON

	Approval *approvalJSON `json:"approval,omitempty"`
	Ask      *askJSON      `json:"ask,omitempty"`

	// Shared by a result and an end: JSON leaves out a name that two embedded structs have.
	Error     *bool    `json:"error,omitempty"`
	ErrorText string   `json:"error_text,omitempty"`
	Duration  *float64 `json:"duration_s,omitempty"`

	*Origin
}

type toolJSON struct {
	ID        string  `json:"id"`
	Name      *string `json:"name,omitempty"`
	Arg       *string `json:"arg,omitempty"`
	Target    string  `json:"target,omitempty"`
	AgentType string  `json:"agent_type,omitempty"`
	Started   string  `json:"started_agent_id,omitempty"` // the sub-agent that the call started
	Server    string  `json:"server,omitempty"`
	ReadOnly  bool    `json:"read_only,omitempty"`
	State     string  `json:"state,omitempty"`
	Denied    bool    `json:"denied,omitempty"`
	ExitCode  *int    `json:"exit_code,omitempty"`
	Summary   string  `json:"summary,omitempty"`
	Lines     *int    `json:"lines,omitempty"`
	Size      *int    `json:"size,omitempty"`
	Truncated bool    `json:"truncated,omitempty"`
}

type usageJSON struct {
	Scope    string     `json:"scope"`
	Usage    tokensJSON `json:"usage"`
	Provider tokensJSON `json:"provider_usage"`
	CostUSD  *float64   `json:"cost_usd,omitempty"`
	Unknown  bool       `json:"output_unknown,omitempty"` // the output of provider_usage is a placeholder
	Tier     string     `json:"service_tier,omitempty"`
	Speed    string     `json:"speed,omitempty"`
	Searches int64      `json:"web_search_requests,omitempty"`
	Fetches  int64      `json:"web_fetch_requests,omitempty"`
}

type noticeJSON struct {
	Level string `json:"level"`
	Code  string `json:"code,omitempty"`
}

type sessionJSON struct {
	Version        string `json:"version,omitempty"`
	WorkingDir     string `json:"working_dir,omitempty"`
	PermissionMode string `json:"permission_mode,omitempty"`
	PreviousID     string `json:"previous_session_id,omitempty"`
	Branch         string `json:"branch,omitempty"`
	AgentName      string `json:"agent_name,omitempty"`
	ParentID       string `json:"parent_session_id,omitempty"`
	SubAgent       bool   `json:"sub_agent,omitempty"`
}

type endJSON struct {
	Code        string `json:"end_code,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
	Result      string `json:"result,omitempty"`
	Principle   string `json:"principle,omitempty"`
	Turns       int    `json:"turns,omitempty"`
}

type approvalJSON struct {
	ID      string `json:"id,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Subject string `json:"subject,omitempty"`
}

type askJSON struct {
	ID        string         `json:"id,omitempty"`
	Questions []questionJSON `json:"questions,omitempty"`
	Answers   []answerJSON   `json:"answers,omitempty"`
}

type questionJSON struct {
	ID      string       `json:"id,omitempty"`
	Header  string       `json:"header,omitempty"`
	Prompt  string       `json:"prompt"`
	Options []optionJSON `json:"options,omitempty"`
	Multi   bool         `json:"multi,omitempty"`
}

type optionJSON struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

type answerJSON struct {
	QuestionID string   `json:"question_id,omitempty"`
	Selected   []string `json:"selected"`
}

func newEventJSON(e *events.DisplayEvent) eventJSON {
	j := eventJSON{
		Kind: e.Kind.String(), SessionID: e.SessionID, TurnID: e.TurnID, MessageID: e.MessageID, ItemID: e.ItemID,
		Parent: e.ParentID, AgentID: e.AgentID, Model: e.Model, Served: e.ModelProvider, Synthetic: e.Synthetic, Abridged: e.Abridged, Delta: e.Delta,
		Copied: e.Copied,
	}
	if !e.Time.IsZero() {
		j.Time = e.Time.Format(time.RFC3339Nano)
	}
	switch e.Kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindPhase, events.KindPrompt:
		j.Text, j.Reasoning = &e.Text, e.Reasoning
	case events.KindNotice:
		j.Text = &e.Text
		j.noticeJSON = &noticeJSON{Level: e.Notice.Level.String(), Code: e.Notice.Code}
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		addTool(&j, e)
	case events.KindUsage:
		u := e.Usage
		j.usageJSON = &usageJSON{
			Scope: u.Scope.String(), Usage: newTokensJSON(u.Tokens), Provider: newTokensJSON(u.Provider), Unknown: u.OutputUnknown,
			Tier: u.ServiceTier, Speed: u.Speed, Searches: u.WebSearches, Fetches: u.WebFetches,
		}
		if e.Usage.HasCost {
			j.usageJSON.CostUSD = &e.Usage.CostUSD
		}
	case events.KindSessionStarted:
		if s := e.Session; s != nil {
			j.sessionJSON = &sessionJSON{s.Version, s.WorkingDir, s.PermissionMode, s.PreviousID, s.Branch, s.AgentName, s.ParentID, s.SubAgent}
		}
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
		if d := e.End; d != nil {
			j.Error, j.ErrorText, j.Duration = &d.Error, d.Err, seconds(d.Duration)
			j.endJSON = &endJSON{d.Code, d.Interrupted, d.Result, d.Principle, d.Turns}
		}
	case events.KindApprovalRequest:
		if a := e.Approval; a != nil {
			j.Approval = &approvalJSON{a.ID, a.Tool, a.Subject}
		}
	case events.KindAskRequest:
		j.Ask = newAskJSON(e.Ask)
	}
	return j
}

func addTool(j *eventJSON, e *events.DisplayEvent) {
	t := &e.Tool
	j.toolJSON = &toolJSON{
		ID: t.ID, Target: t.Target, AgentType: t.AgentType, Started: t.AgentID, Server: t.Server, ReadOnly: t.ReadOnly,
		State: t.State.String(), Denied: t.Denied, Summary: t.Summary, Truncated: t.Truncated,
	}
	j.ErrorText, j.Duration = t.Err, seconds(t.Duration)
	if e.Text != "" {
		j.Text = &e.Text
	}
	if t.Name != "" || e.Kind == events.KindToolUse {
		j.Name = &t.Name
	}
	switch e.Kind {
	case events.KindToolUse:
		arg := t.Arg()
		j.Arg = &arg
	case events.KindToolResult:
		j.Error = &t.Error
		j.Size = &t.Size
	}
	if t.HasExitCode {
		j.ExitCode = &t.ExitCode
	}
	if t.HasLines {
		j.Lines = &t.Lines
	}
}

func newAskJSON(a *events.Ask) *askJSON {
	if a == nil {
		return nil
	}
	j := &askJSON{ID: a.ID}
	for _, q := range a.Questions {
		question := questionJSON{ID: q.ID, Header: q.Header, Prompt: q.Prompt, Multi: q.Multi}
		for _, o := range q.Options {
			question.Options = append(question.Options, optionJSON{o.Label, o.Description})
		}
		j.Questions = append(j.Questions, question)
	}
	for _, answer := range a.Answers {
		j.Answers = append(j.Answers, answerJSON{answer.QuestionID, answer.Selected})
	}
	return j
}
