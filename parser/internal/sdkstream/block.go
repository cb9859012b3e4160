package sdkstream

import "github.com/tailspan/tailspan/parser/internal/scan"

// Block is one element of message.content, or of message.parts.
type Block struct {
	Kind scan.Value // parts have none: their keys show the kind
	Text scan.Value // text or thinking

	ID, Name, Server scan.Value
	Input            scan.Value   // the raw object of a call
	Args             scan.Members // its members

	ToolUseID, IsError scan.Value
	Content            scan.Value   // the body of a result, unless that is an array
	Texts              []scan.Value // the texts in the body, if it is an array or an object
	Output, Failure    scan.Value   // functionResponse.response.output and error

	Thought        bool
	Call, Response bool // functionCall, functionResponse
}

func (r *Envelope) readBlocks(s *scan.Scanner) {
	if s.Peek() != scan.KindArray {
		r.Message.Text = s.Value()
		return
	}
	for s.Array(); s.Element(); {
		r.readBlock(s)
	}
}

func (r *Envelope) readBlock(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	r.Message.Blocks = append(r.Message.Blocks, Block{})
	b := &r.Message.Blocks[len(r.Message.Blocks)-1]
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			b.Kind = s.Value()
		case "id":
			b.ID = s.Value()
		case "name":
			b.Name = s.Value()
		case "text", "thinking":
			b.Text = s.Value()
		case "thought":
			b.Thought = s.Value().True()
		case "tool_use_id":
			b.ToolUseID = s.Value()
		case "is_error":
			b.IsError = s.Value()
		case "server_name":
			b.Server = s.Value()
		case "input":
			r.readInput(s, b)
		case "content":
			r.readContent(s, b)
		case "functionCall":
			b.Call = r.readFunction(s, b)
		case "functionResponse":
			b.Response = r.readFunction(s, b)
		default:
			s.Skip()
		}
	}
}

func (r *Envelope) readInput(s *scan.Scanner, b *Block) {
	if s.Peek() != scan.KindObject {
		b.Input = s.Value()
		return
	}
	start, from := s.Offset(), len(r.args)
	r.args = s.Members(r.args)
	b.Input = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
	b.Args = r.args[from:len(r.args):len(r.args)]
}

// readFunction reads a functionCall or functionResponse.
func (r *Envelope) readFunction(s *scan.Scanner, b *Block) bool {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return false
	}
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "id":
			b.ID = s.Value()
		case "name":
			b.Name = s.Value()
		case "args":
			r.readInput(s, b)
		case "response":
			readResponse(s, b)
		default:
			s.Skip()
		}
	}
	return true
}

func readResponse(s *scan.Scanner, b *Block) {
	if s.Peek() != scan.KindObject {
		b.Output = s.Value()
		return
	}
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "error":
			b.Failure = s.Value()
		case "output":
			b.Output = s.Value()
		default:
			s.Skip()
		}
	}
}

// readContent reads the content of a result: a string, an array of blocks or, for failed server tools, one object.
func (r *Envelope) readContent(s *scan.Scanner, b *Block) {
	from := len(r.texts)
	switch s.Peek() {
	case scan.KindArray:
		for s.Array(); s.Element(); {
			r.readText(s, b)
		}
	case scan.KindObject:
		start := s.Offset()
		r.readText(s, b)
		b.Content = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
	default:
		b.Content = s.Value()
	}
	b.Texts = r.texts[from:len(r.texts):len(r.texts)]
}

// readText reads one block of a result's content and keeps its text. Images and documents have no text.
func (r *Envelope) readText(s *scan.Scanner, b *Block) {
	if s.Peek() != scan.KindObject {
		if v := s.Value(); v.Kind == scan.KindString {
			r.texts = append(r.texts, v)
		}
		return
	}
	var kind, text, code scan.Value
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			kind = s.Value()
		case "text":
			text = s.Value()
		case "error_code":
			code = s.Value()
		default:
			s.Skip()
		}
	}
	switch {
	case code.Kind == scan.KindString: // {"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}
		r.texts = append(r.texts, code)
		b.IsError = scan.Value{Kind: scan.KindTrue}
	case text.Kind == scan.KindString && (kind.Is("text") || !kind.Exists()):
		r.texts = append(r.texts, text)
	}
}
