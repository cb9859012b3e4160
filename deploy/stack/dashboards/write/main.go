// Command write writes the dashboards as JSON: write FOLDER.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	"github.com/tailspan/tailspan/deploy/stack/dashboards"
)

func main() {
	log.SetFlags(0)
	for _, board := range dashboards.All() {
		built, err := board.Build()
		if err != nil {
			log.Fatal(err)
		}
		text, err := json.MarshalIndent(built, "", "  ")
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(os.Args[1], board.UID+".json"), append(text, '\n'), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
