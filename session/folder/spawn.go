package folder

import "github.com/tailspan/tailspan/session/link"

// Spawn is a call that started an agent of unknown ID, and how the call ended. The mark identifies its target.
type Spawn struct {
	Call   link.Call `json:"call"`
	End    link.End  `json:"end"`
	Target Mark      `json:"target"`
}
