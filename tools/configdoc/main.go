package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// documented is a configuration to document.
type documented struct {
	name   string // of the type in a configuration
	folder string
	config any // with its defaults
}

func components() []documented {
	receiver, exporter := agentstreamreceiver.NewFactory(), agentrenderexporter.NewFactory()
	return []documented{
		{"receiver `" + receiver.Type().String() + "`", "receiver/agentstreamreceiver", receiver.CreateDefaultConfig()},
		{"exporter `" + exporter.Type().String() + "`", "exporter/agentrenderexporter", exporter.CreateDefaultConfig()},
	}
}

func main() {
	root := flag.String("root", "..", "the `folder` of the repository")
	flag.Parse()
	files, err := generate()
	for path, content := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(*root, path), content, 0o644) //nolint:gosec // everybody may read documents
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "configdoc:", err)
		os.Exit(1)
	}
}

// generate returns the contents of the files by their paths in the repository.
func generate() (map[string][]byte, error) {
	files := map[string][]byte{}
	c := &comments{}
	var reference []byte
	for _, of := range components() {
		settings, err := settingsOf(of.config, c)
		if err != nil {
			return nil, err
		}
		schema, err := schemaOf(settings)
		if err != nil {
			return nil, err
		}
		files[of.folder+"/config.schema.yaml"] = schema
		reference = append(reference, referenceOf(of.name, settings)...)
	}
	files["docs/configuration.md"] = append([]byte(referenceHead), reference...)
	return files, nil
}
