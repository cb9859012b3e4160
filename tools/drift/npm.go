package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// errNoNPM: the npm client is missing.
var errNoNPM = errors.New("npm is not installed: it fetches the packages that hold the published types (https://nodejs.org)")

// maxFile is the maximum size of a declaration file that is read, in bytes; those of 2026 have up to 400 KB.
const maxFile = 16 << 20

// pack is one version of a package.
type pack struct {
	name, version string
	files         map[string]string // declaration files, and requested files of a bundle, by their path in the package
}

// npm fetches packages with the npm client.
type npm struct {
	program string
	dir     string // for downloads
}

// newNPM finds the client.
func newNPM(dir string) (*npm, error) {
	program, err := exec.LookPath("npm")
	if err != nil {
		return nil, errNoNPM
	}
	return &npm{program: program, dir: dir}, nil
}

// fetch downloads the newest version of a package.
func (n *npm) fetch(ctx context.Context, name string) (*pack, error) {
	version, err := n.run(ctx, "view", name, "version")
	if err != nil {
		return nil, err
	}
	file, err := n.run(ctx, "pack", name+"@"+version, "--silent", "--ignore-scripts", "--pack-destination", n.dir)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(n.dir, filepath.Base(file)))
	if err != nil {
		return nil, fmt.Errorf("open package %s: %w", name, err)
	}
	defer f.Close()
	files, err := declarationFiles(f)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	return &pack{name: name, version: version, files: files}, nil
}

// run returns the last line that npm prints.
func (n *npm) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, n.program, args...)
	cmd.Dir = n.dir // outside of any project's settings
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("run npm %s %s: %w: %s", args[0], args[1], err, strings.TrimSpace(stderr.String()))
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(lines[len(lines)-1]), nil
}

// declarationFiles reads the .d.ts files of a package, and the files of its bundle that contain a mark.
func declarationFiles(r io.Reader) (map[string]string, error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	files, marks := map[string]string{}, bundleMarks()
	for archive := tar.NewReader(unpacked); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		declares, program := strings.HasSuffix(header.Name, ".d.ts"), strings.HasSuffix(header.Name, ".js")
		if header.Typeflag != tar.TypeReg || !declares && !program || header.Size > maxFile {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", header.Name, err)
		}
		if program && !slices.ContainsFunc(marks, func(mark string) bool { return bytes.Contains(data, []byte(mark)) }) {
			continue
		}
		_, name, _ := strings.Cut(header.Name, "/") // after the folder that npm adds
		files[name] = string(data)
	}
}
