package content

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"unsafe"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// firstLineBytes bounds the hashed part of a text's first line.
const firstLineBytes = 4 << 10

// Hash hashes what the model said with an event: of a text its first line, because a live text can arrive in parts
// of whole lines; of a call its tool and target. It is empty for an event in which the model says nothing.
func Hash(ev *events.DisplayEvent) string {
	if !Speaks(ev.Kind) {
		return ""
	}
	what, detail := Said(ev)
	sum := otlp.Hash(otlp.DomainContent, 0, ev.Kind.String(), what, detail)
	return string(sum[:otlp.HashBytes])
}

// Said returns the part of an event that is hashed.
func Said(ev *events.DisplayEvent) (what, detail string) {
	switch ev.Kind {
	case events.KindText, events.KindReasoning, events.KindMessage:
		line, _, _ := strings.Cut(ev.Text, "\n")
		return line[:min(len(line), firstLineBytes)], ""
	case events.KindToolUse:
		return ev.Tool.Name, ev.Tool.Target
	default:
		return "", ""
	}
}

// longText is the length from which IDs use the hash of a text.
const longText = 256

// view returns the bytes of a text without copying, read-only: most of what is hashed is long texts.
func view(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// Append appends the content of a record to the parts of its identity: records that share an item ID and differ
// in content are different records. Records of a call have the call's content, nil if it is unknown, and records about a run the run's key.
func Append(buf []byte, run string, call []byte, ev *events.DisplayEvent) []byte {
	switch ev.Kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindPrompt, events.KindNotice, events.KindPhase:
		if len(ev.Text) < longText {
			return otlp.AppendPart(buf, ev.Text)
		}
		sum := sha256.Sum256(view(ev.Text))
		return append(buf, sum[:]...)
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		if call != nil {
			if buf = append(buf, call...); ev.Kind == events.KindToolProgress {
				buf = otlp.AppendPart(buf, ev.Tool.Summary) // a call has one use and one result, but many of these
			}
			return buf
		}
		return otlp.AppendPart(otlp.AppendPart(buf, ev.Tool.ID), ev.Tool.Summary)
	case events.KindUsage:
		if ev.Usage != nil {
			buf = binary.BigEndian.AppendUint64(buf, uint64(ev.Usage.Tokens.Input))
			buf = binary.BigEndian.AppendUint64(buf, uint64(ev.Usage.Tokens.Output))
		}
		return otlp.AppendPart(buf, run)
	case events.KindSessionEnded, events.KindTurnDone, events.KindTurnAborted:
		return otlp.AppendPart(buf, run)
	case events.KindApprovalRequest:
		if a := ev.Approval; a != nil {
			buf = otlp.AppendPart(otlp.AppendPart(otlp.AppendPart(buf, a.ID), a.Tool), a.Subject)
		}
		return buf
	case events.KindAskRequest:
		if ev.Ask != nil {
			for _, q := range ev.Ask.Questions {
				buf = otlp.AppendPart(otlp.AppendPart(buf, q.ID), q.Prompt)
			}
		}
		return buf
	default:
		return buf
	}
}
