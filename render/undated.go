package render

// noClock is in place of a time of day that is not known. It is as long as one.
const noClock = "--:--:--"

// maxUndated is how much waits for the first time of a stream, in bytes.
const maxUndated = 64 << 10

// date ends the wait for the first time of a stream. The lines that waited get it. If there is none, they have no time, nor
// have the lines before the first event with one.
func (r *Renderer) date() {
	if !r.undated {
		return
	}
	r.undated, r.margins = false, activityMargins{}
	p := r.side
	if at := r.memory.Last(); !at.IsZero() {
		clock := r.timeOfDay(at)
		for _, i := range p.clocks {
			copy(p.buf[i:], clock)
		}
	} else {
		p.cutClocks()
	}
	p.undated, p.clocks = false, nil
}

// cutClocks takes out the times that are not known, and the blank behind each.
func (p *page) cutClocks() {
	kept := p.buf[:0]
	from := 0
	for _, i := range p.clocks {
		kept = append(kept, p.buf[from:i]...)
		if from = i + len(noClock); from < len(p.buf) && p.buf[from] == ' ' {
			from++
		}
	}
	p.buf = append(kept, p.buf[from:]...)
}
