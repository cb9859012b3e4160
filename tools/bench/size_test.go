package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReduceManifest(t *testing.T) {
	manifest := []byte("dist: {name: x, output_path: ./y}\nreceivers:\n  - {gomod: m v0, import: m/receiver/a}\n  - {gomod: n v1}\n" +
		"exporters: [{gomod: m v0, import: m/exporter/b}]\nreplaces: [m => ..]\n")
	got, err := reduceManifest(manifest, []string{"/receiver/a"}, "/out", "/module")
	require.NoError(t, err)
	assert.YAMLEq(t, "dist: {name: otelcol, module: otelcol.invalid/bench, output_path: /out}\nreceivers: [{gomod: n v1}]\n"+
		"exporters: [{gomod: m v0, import: m/exporter/b}]\nreplaces: [github.com/tailspan/tailspan => /module]\n", string(got))

	_, err = reduceManifest(manifest, []string{"/receiver/c"}, "/out", "/module")
	assert.ErrorContains(t, err, "0 of 1 components are there")
	_, err = reduceManifest([]byte("receivers: [{import: m/a}]"), []string{"/a"}, "", "")
	assert.ErrorContains(t, err, "no dist")
	_, err = reduceManifest([]byte("\t"), nil, "", "")
	assert.Error(t, err)
}
