package agentstreamreceiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// TestUnquotedTexts checks the error for a number or a boolean where a text is required.
func TestUnquotedTexts(t *testing.T) {
	read := func(settings string) error {
		retrieved, err := confmap.NewRetrievedFromYAML([]byte(settings))
		require.NoError(t, err)
		conf, err := retrieved.AsConf()
		require.NoError(t, err)
		return conf.Unmarshal(agentstreamreceiver.NewFactory().CreateDefaultConfig())
	}
	err := read(`{include: [a], attributes: {team: 007, nightly: true, ratio: 1.10, name: x}, pipeline: {name: ci, run_id: 4711}, pipes: [{path: "-", attributes: {b: true}}]}`)
	for _, want := range []string{
		"\npipeline::run_id must be a string: quote its value\nattributes::nightly must be a string: quote its value\n" +
			"attributes::ratio must be a string: quote its value\nattributes::team must be a string: quote its value\n",
		"\npipes[0]::attributes::b must be a string: quote its value",
	} {
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "attributes::name")
	assert.NoError(t, read(`{include: [a], attributes: {team: "007"}, pipeline: {run_id: "4711"}}`))
	err = read(`{include: [a], attributes: {team: "007"}, colour: red}`)
	assert.ErrorContains(t, err, "colour")
	assert.NotContains(t, err.Error(), "quotes")
}
