package openai

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// codeError is the code of a failure that has none of its own.
const codeError = "error"

// failure is why an answer failed.
type failure struct {
	failed     bool
	code, text string
}

// failureOf reads the error that is beside an answer, or in place of one.
func (p *Parser) failureOf(r *record) failure { return p.readFailure(r.failure) }

// readFailure reads an error: an object, a text, or what else is not null.
func (p *Parser) readFailure(v scan.Value) failure {
	switch v.Kind {
	case scan.KindNone, scan.KindNull:
		return failure{}
	case scan.KindString:
		return failure{failed: true, text: p.Strings.Text(v)}
	case scan.KindObject:
		p.Members(v)
		f := failure{failed: true, text: p.words(p.Nested.Get("message"))}
		for _, key := range [...]string{"code", "type", "status"} {
			if f.code = p.code(p.Nested.Get(key)); f.code != "" {
				break
			}
		}
		return f
	default:
		return failure{failed: true, text: p.Strings.JSON(v)}
	}
}

// code reads a code: a word or a number. LiteLLM writes 'None' where it has none, and xAI a sentence.
func (p *Parser) code(v scan.Value) string {
	switch {
	case v.Kind == scan.KindNumber:
		return p.Strings.JSON(v)
	case v.Is("None"), bytes.IndexByte(v.Body(), ' ') >= 0:
		return ""
	}
	return p.Strings.Intern(v)
}

// words gives a text, or what replaces one as JSON: FastAPI's list of what is wrong with a request.
func (p *Parser) words(v scan.Value) string {
	switch v.Kind {
	case scan.KindString:
		return p.Strings.Text(v)
	case scan.KindObject, scan.KindArray:
		return p.Strings.JSON(v)
	}
	return ""
}

// isFailure reports whether a record without an answer is the body of an error, in one of its many shapes.
func isFailure(r *record) bool {
	if r.failure.Exists() && r.failure.Kind != scan.KindNull || r.object.Is("error") || r.kind.Is("error") {
		return true
	}
	if r.rest.Get("detail").Exists() || r.rest.Get("html-message").Exists() {
		return true
	}
	if !r.messageRaw.Exists() {
		return false
	}
	for _, key := range [...]string{"request_id", "statusCode", "status", "code"} {
		if r.rest.Get(key).Exists() {
			return true
		}
	}
	return false
}

// errorBody takes the body of an error. Within a stream it ends the answer that streams.
func (p *Parser) errorBody(r *record) {
	f := p.failureOf(r)
	if !f.failed {
		f = failure{failed: true, text: p.words(r.messageRaw)}
		for _, key := range [...]string{"detail", "html-message"} {
			if f.text == "" {
				f.text = p.words(r.rest.Get(key))
			}
		}
	}
	for _, v := range [...]scan.Value{r.rest.Get("code"), r.rest.Get("statusCode"), r.rest.Get("status"), r.kind} {
		if f.code == "" && !v.Is("error") {
			f.code = p.code(v)
		}
	}
	if !p.answer.open {
		p.begin()
		p.about(r)
	}
	p.answer.failure = f
	p.answer.counts.grow(p.countsOf(r))
	p.end()
}
