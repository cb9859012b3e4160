package render

// noClock stands where the time of day of a line is not known. It is as long as a time of day.
const noClock = "--:--:--"

// maxUndated is how much waits for the first time that a stream tells, in bytes.
const maxUndated = 64 << 10

// date ends the wait for the first time of a stream: the lines that waited are given it, if there is one.
func (r *Renderer) date() {
	if !r.undated {
		return
	}
	r.undated = false
	if at := r.memory.last; !at.IsZero() {
		clock := r.timeOfDay(at)
		for _, i := range r.side.clocks {
			copy(r.side.buf[i:], clock)
		}
	}
	r.side.undated, r.side.clocks = false, nil
}
