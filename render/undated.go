package render

// noClock replaces an unknown time of day. It has the same length.
const noClock = "--:--:--"

// maxUndated limits the lines that wait for the first time of a stream, in bytes.
const maxUndated = 64 << 10

// date ends the wait for the first time of a stream. The waiting lines get that time. If there is none, they have no time,
// and neither do the lines before the first event with one.
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

// cutClocks removes the unknown times and the blank after each.
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
