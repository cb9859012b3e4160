package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// Exit codes.
const (
	exitKnown = 0
	exitDrift = 1
	exitError = 2
)

func main() {
	docs := flag.String("docs", "docs/formats", "the `folder` of our tables")
	limit := flag.Duration("timeout", 5*time.Minute, "time limit of all downloads")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, *limit)
	code := run(ctx, *docs, os.Stdout, os.Stderr)
	cancel()
	stop()
	os.Exit(code)
}

// run is the whole program except for the process around it.
func run(ctx context.Context, docs string, stdout, stderr io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintln(stderr, "drift:", err)
		return exitError
	}
	dir, err := os.MkdirTemp("", "tailspan-drift-*")
	if err != nil {
		return fail(fmt.Errorf("make folder: %w", err))
	}
	defer os.RemoveAll(dir)
	client, err := newNPM(dir)
	if err != nil {
		return fail(err)
	}
	found, err := compare(ctx, checks(), docs, client.fetch, stdout)
	switch {
	case err != nil:
		return fail(err)
	case found > 0:
		fmt.Fprintf(stdout, "%d to look at: a row in docs/formats and a case in the parser for each\n", found)
		return exitDrift
	default:
		return exitKnown
	}
}

// fetcher returns the published files of a package.
type fetcher func(ctx context.Context, name string) (*pack, error)

// compare runs the checks and counts the names that parser or tables do not know. A check that fails does not prevent
// the others.
func compare(ctx context.Context, all []check, docs string, fetch fetcher, out io.Writer) (found int, err error) {
	packs := map[string]*pack{}
	var errs []error
	for i := range all {
		c := &all[i]
		if _, tried := packs[c.pkg]; !tried {
			p, err := fetch(ctx, c.pkg)
			if err != nil {
				errs = append(errs, err)
			}
			packs[c.pkg] = p
		}
		p := packs[c.pkg]
		if p == nil {
			continue
		}
		n, err := c.compare(p, docs, out)
		if err != nil {
			errs = append(errs, err)
		}
		found += n
	}
	return found, errors.Join(errs...)
}

// compare reports on one check.
func (c *check) compare(p *pack, docs string, out io.Writer) (found int, err error) {
	data, err := os.ReadFile(filepath.Join(docs, c.provider+".md"))
	if err != nil {
		return 0, fmt.Errorf("read tables: %w", err)
	}
	page := string(data)
	names, err := c.published(p)
	if err != nil {
		return 0, err
	}
	var missing []string
	for _, name := range names {
		k, err := c.known(page, name)
		switch {
		case err != nil:
			return 0, err
		case !k.docs && !k.parser:
			missing = append(missing, name+" (new)")
		case !k.docs:
			missing = append(missing, name+" (not in the table)")
		case !k.parser:
			missing = append(missing, name+" (not in the parser)")
		}
	}
	file, where := c.file, strings.Join(append([]string{c.root}, c.path...), ".")
	if !c.bundle.empty() {
		file, where = "bundle", c.bundle.String()
	}
	fmt.Fprintf(out, "%s %s, %s, %s: %d names, %d unknown\n", p.name, p.version, file, where, len(names), len(missing))
	if !strings.Contains(page, p.version) {
		fmt.Fprintf(out, "  docs/formats/%s.md names another version\n", c.provider)
	}
	for _, name := range missing {
		fmt.Fprintf(out, "  %s\n", name)
	}
	return len(missing), nil
}
