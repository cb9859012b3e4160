package folder

import "github.com/tailspan/tailspan/session/link"

// Spawn is a call that started an agent of unknown id, and how it ended. What it was to do is known by its mark.
type Spawn struct {
	Call   link.Call `json:"call"`
	End    link.End  `json:"end"`
	Target Mark      `json:"target"`
}
