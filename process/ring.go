package process

// ring keeps the last bytes written to it.
type ring struct {
	buf   []byte
	limit int
}

// write appends p. The memory is at most twice the limit.
func (r *ring) write(p []byte) {
	if len(p) >= r.limit {
		r.buf = append(r.buf[:0], p[len(p)-r.limit:]...)
		return
	}
	if len(r.buf)+len(p) > 2*r.limit {
		keep := r.limit - len(p)
		r.buf = append(r.buf[:0], r.buf[len(r.buf)-keep:]...)
	}
	r.buf = append(r.buf, p...)
}

// last returns what is kept.
func (r *ring) last() []byte {
	return r.buf[max(0, len(r.buf)-r.limit):]
}
