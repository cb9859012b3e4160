package options

import (
	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// Identity holds the flags for whose work a stream is.
type Identity struct {
	Pipeline, RunID, Step, Persona string
	InBand                         string
}

// Add declares the flags.
func (i *Identity) Add(f *cli.Flags) {
	f.StringVar(&i.Pipeline, "pipeline", "", "`name` of the pipeline that the work is part of (cicd.pipeline.name)")
	f.StringVar(&i.RunID, "run-id", "", "`id` of the pipeline's run (cicd.pipeline.run.id)")
	f.StringVar(&i.Step, "step", "", "`name` of the step (cicd.pipeline.task.name), shown by the activity style and in quiet mode")
	f.StringVar(&i.Persona, "persona", "", "a `name` for the agent (gen_ai.agent.name)")
	f.ChoiceVar(&i.InBand, "in-band", config.InBandIdentity, []string{config.InBandOff, config.InBandIdentity, config.InBandAll},
		"what the first line of a stream may set")
}

// Attributes returns the identity that the flags set.
func (i *Identity) Attributes() otlp.Identity {
	return otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: i.Pipeline},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: i.RunID},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: i.Step},
		otlp.Attribute{Key: otlp.AttrGenAIAgentName, Value: i.Persona},
	)
}

// Of returns the identity of a stream that is only read. Flags win over its in-band line, which wins over the environment.
func (i *Identity) Of(inBand config.InBand, r *redact.Redactor, getenv func(string) string) otlp.Identity {
	attrs := make([]otlp.Attribute, 0, len(inBand.Attributes))
	for key, value := range inBand.Attributes {
		if r != nil {
			key, value = r.Attribute(key, value)
		}
		attrs = append(attrs, otlp.Attribute{Key: key, Value: value})
	}
	return i.Attributes().With(otlp.NewIdentity(attrs...)).With(otlp.IdentityFromEnvironment(getenv))
}

// PipelineSettings returns the settings of one exported stream.
func (i *Identity) PipelineSettings(provider string, registry *telemetry.Registry, r *redact.Redactor) pipeline.Settings {
	return pipeline.Settings{
		Events:   pipeline.EventSettings{Provider: provider, Redactor: r},
		Registry: registry, InBand: i.InBand,
		Telemetry: telemetry.StreamSettings{Identity: i.Attributes()},
	}
}

// Prices is the flag for a file of prices, which are used to estimate costs.
type Prices struct{ path string }

// Add declares the flag.
func (p *Prices) Add(f *cli.Flags) {
	f.StringVar(&p.path, "prices", "", "estimate the cost by the prices in this `file`, where the agent reports none")
}

// Read reads the file. It returns nil if the flag is not set.
func (p *Prices) Read() (ledger.Prices, error) { return pipeline.ReadPrices(p.path) }

// RegistrySettings returns the settings that all exported streams share.
func RegistrySettings(prices ledger.Prices) telemetry.Settings {
	s := telemetry.NewDefaultSettings()
	s.Version, s.Prices = cli.Version(), prices
	return s
}
