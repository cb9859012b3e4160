package replay

// Place is the position of an event: the offset of its line and its index in the line.
type Place struct {
	Offset int64 `json:"offset"`
	Index  int   `json:"index,omitempty"`
}

// Step is an action after the line at At that no line of the stream caused.
type Step struct {
	At int64 `json:"at"`
	Do Kind  `json:"do"`
	// Run is the key of the affected run, or the number of the task; empty if everything open was affected.
	Run string `json:"run,omitempty"`
}

// Kind is the kind of action.
type Kind string

const (
	Date  Kind = "date"  // events that waited for a time got that of the file
	End   Kind = "end"   // a sub-agent's run was closed after its call ended
	Task  Kind = "task"  // a task of a sub-agent was closed because the next one began
	Turn  Kind = "turn"  // a run that had shown its end was closed
	Old   Kind = "old"   // the open items of an old file were closed at its end
	Close Kind = "close" // the stream was closed
)

// Taken is a step, and whether its output was acknowledged.
type Taken struct {
	Step
	accepted bool
}

// Accept records that the output of the step was acknowledged, and Accepted reports that.
func (t *Taken) Accept()        { t.accepted = true }
func (t *Taken) Accepted() bool { return t.accepted }
