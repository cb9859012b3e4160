package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// measureSize reports the size of the programs, and builds the collector without our components to show what they add.
func measureSize(ctx context.Context, s Settings) error {
	fmt.Fprintf(s.Stdout, "\nsize\n")
	command, err := sizeOf(s.Command)
	if err != nil {
		return err
	}
	with, err := sizeOf(s.Collector)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "  %-47s %6.1f MB\n  %-47s %6.1f MB\n", "tailspan", command, "collector", with)
	for _, m := range []struct {
		what    string
		imports []string
	}{
		{"without the receiver", []string{"/receiver/agentstreamreceiver"}},
		{"without the receiver and the exporter", []string{"/receiver/agentstreamreceiver", "/exporter/agentrenderexporter"}},
	} {
		without, err := buildWithout(ctx, s, strings.ReplaceAll(m.what, " ", "-"), m.imports)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Stdout, "  %-47s %6.1f MB, so that adds %.1f MB\n", "collector "+m.what, without, with-without)
	}
	return nil
}

func sizeOf(path string) (float64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("look at program: %w", err)
	}
	return float64(info.Size()) / megabyte, nil
}

// buildWithout builds the collector without the components of these import paths and returns its size.
func buildWithout(ctx context.Context, s Settings, name string, imports []string) (float64, error) {
	text, err := os.ReadFile(s.Manifest)
	if err != nil {
		return 0, fmt.Errorf("read manifest: %w", err)
	}
	module, err := filepath.Abs(filepath.Join(filepath.Dir(s.Manifest), ".."))
	if err != nil {
		return 0, fmt.Errorf("find module: %w", err)
	}
	folder := filepath.Join(s.Out, name)
	if text, err = reduceManifest(text, imports, folder, module); err != nil {
		return 0, fmt.Errorf("reduce manifest %q: %w", s.Manifest, err)
	}
	manifest := folder + ".yaml"
	if err := os.WriteFile(manifest, text, 0o600); err != nil {
		return 0, fmt.Errorf("write manifest: %w", err)
	}
	cmd := exec.CommandContext(ctx, s.Builder, "--config", manifest, "--skip-strict-versioning=false")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build collector %s: %w\n%s", name, err, out)
	}
	return sizeOf(filepath.Join(folder, "otelcol"))
}

// reduceManifest removes the components of these import paths, and sets the output of the build to otelcol in folder.
func reduceManifest(text []byte, imports []string, folder, module string) ([]byte, error) {
	var manifest map[string]any
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	taken := 0
	for kind, value := range manifest {
		list, ok := value.([]any)
		if !ok {
			continue
		}
		n := len(list)
		manifest[kind] = slices.DeleteFunc(list, func(entry any) bool {
			component, _ := entry.(map[string]any)
			path, _ := component["import"].(string)
			return slices.ContainsFunc(imports, func(end string) bool { return path != "" && strings.HasSuffix(path, end) })
		})
		taken += n - len(manifest[kind].([]any))
	}
	if taken != len(imports) {
		return nil, fmt.Errorf("%d of %d components are there", taken, len(imports))
	}
	dist, ok := manifest["dist"].(map[string]any)
	if !ok {
		return nil, errors.New("no dist")
	}
	dist["name"], dist["module"], dist["output_path"] = "otelcol", "otelcol.invalid/bench", folder
	manifest["replaces"] = []string{"github.com/tailspan/tailspan => " + module}
	return yaml.Marshal(manifest)
}
