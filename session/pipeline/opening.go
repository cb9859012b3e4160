package pipeline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// opening is what a Pipeline needs until the provider is known.
type opening struct {
	Settings
	first []byte // hash of the first line after the in-band line; nil before it
}

// readInBand reports whether a first line is the in-band line, and applies its identity and parent.
func (p *Pipeline) readInBand(data []byte) bool {
	inBand, ok := config.ParseInBand(data)
	if !ok || p.reparsing || p.opening == nil {
		return ok
	}
	inBand, dropped := inBand.Allowed(p.opening.InBand)
	if dropped > 0 && p.opening.OnDropped != nil && !p.At.Replay {
		p.opening.OnDropped(dropped)
	}
	attrs := make([]otlp.Attribute, 0, len(inBand.Attributes))
	for key, value := range inBand.Attributes {
		if r := p.settings.Redactor; r != nil {
			key, value = r.Attribute(key, value)
		}
		attrs = append(attrs, otlp.Attribute{Key: key, Value: value})
	}
	into := &p.opening.Telemetry
	into.Identity = into.Identity.With(otlp.NewIdentity(attrs...))
	parent, err := otlp.ParseTraceParent(inBand.TraceParent)
	switch {
	case err != nil:
		if p.opening.OnInvalidParent != nil {
			p.opening.OnInvalidParent(err)
		}
	case into.Parent.Empty():
		into.Parent = parent
	}
	return true
}

// open opens the telemetry stream. Call it once the provider is known.
func (p *Pipeline) open() {
	if p.telemetry != nil {
		return
	}
	provider := p.events.Provider()
	if p.opening.OnOpen != nil {
		p.opening.OnOpen(provider)
	}
	p.telemetry = p.opening.Registry.Open(p.opening.telemetryOf(provider))
	p.opening = nil
}

// telemetryOf returns the settings of the telemetry stream once the provider is known.
func (o *opening) telemetryOf(provider string) telemetry.StreamSettings {
	info := parser.InfoOf(provider)
	set := o.Telemetry
	set.Agent = program.Agent{
		Provider: info.Name, ServiceName: cmp.Or(info.ServiceName, o.Program), System: info.System,
		Folders: info.Folders, Bodies: info.Bodies, UsageAfterCalls: info.UsageAfterCalls, TotalsOfAgents: info.TotalsOfAgents,
		OwnMessageIDs: info.OwnMessageIDs, StreamIDs: info.StreamIDs, CallIDs: info.CallIDs,
	}
	set.ParentSession = parser.ParentSession(info.Name, o.Path)
	set.Group = parser.Group(info.Name, o.Path)
	set.Identity = set.Identity.With(o.Ambient)
	set.Fingerprint = hex.EncodeToString(o.first)
	return set
}

// maxFingerprint bounds the hashed part of a stream's first line, in bytes.
const maxFingerprint = 64 << 10

// fingerprint returns a hash of a stream's first line.
func fingerprint(line []byte) []byte {
	sum := sha256.Sum256(line[:min(len(line), maxFingerprint)])
	return sum[:8]
}
