package main

import (
	"errors"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// identityFlags say whose work is exported, and at which prices.
type identityFlags struct {
	pipeline, runID, persona string
	inBand                   string
	prices                   priceFlag
}

// addIdentity adds the flags of commands that export.
func (f *flags) addIdentity() *identityFlags {
	i := &identityFlags{}
	f.StringVar(&i.pipeline, "pipeline", "", "name of the pipeline that the work is part of (cicd.pipeline.name)")
	f.StringVar(&i.runID, "run-id", "", "id of the pipeline's run (cicd.pipeline.run.id)")
	f.StringVar(&i.persona, "persona", "", "a name for the agent (gen_ai.agent.name)")
	f.StringVar(&i.inBand, "in-band", config.InBandIdentity, "what the first line of a stream may set: off, identity or all")
	i.prices.add(f)
	return i
}

func (i *identityFlags) check() error {
	return errors.Join(config.CheckInBand("in-band", i.inBand), i.prices.read())
}

// identity is the identity that the flags set.
func (i *identityFlags) identity(step string) otlp.Identity {
	return otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: i.pipeline},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: i.runID},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: step},
		otlp.Attribute{Key: otlp.AttrGenAIAgentName, Value: i.persona},
	)
}

// registrySettings are those of all streams that are exported.
func (i *identityFlags) registrySettings() telemetry.Settings {
	s := telemetry.NewDefaultSettings()
	s.Version, s.Prices = version(), i.prices.list
	return s
}

// pipelineSettings are those of one stream.
func (i *identityFlags) pipelineSettings(provider, step string, registry *telemetry.Registry, r *redact.Redactor) pipeline.Settings {
	return pipeline.Settings{
		Events:   pipeline.EventSettings{Provider: provider, Redactor: r},
		Registry: registry, InBand: i.inBand,
		Telemetry: telemetry.StreamSettings{Identity: i.identity(step)},
	}
}

// priceFlag is a file of prices for estimates of the cost.
type priceFlag struct {
	path string
	list ledger.Prices
}

func (p *priceFlag) add(f *flags) {
	f.StringVar(&p.path, "prices", "", "estimate the cost by the prices in this file, where the agent reports none")
}

func (p *priceFlag) read() (err error) {
	p.list, err = pipeline.ReadPrices(p.path)
	return err
}
