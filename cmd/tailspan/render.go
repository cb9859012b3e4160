package main

import (
	"bufio"
	"fmt"
	"io"
	"sync"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

const renderSynopsis = `Prints a stream as a readable log. Lines of no known agent are printed as they
are, made safe for a terminal; in mode json all lines are, untouched but for
secrets. --redact=false leaves those in too.`

func runRender(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	f := newFlags("render", renderSynopsis, stderr)
	mode := f.String("mode", render.ModeDefault.String(), "how much is shown: default, verbose, quiet, json")
	style := f.String("style", render.StyleMarker.String(), "what verbose mode looks like: marker, transcript, progress")
	escape := f.Bool("escape-commands", false, "break what a CI system would take for a command to it")
	hide := f.Bool("redact", true, "take secrets out")
	name, parsed, err := f.source(args)
	if err != nil {
		return err
	}
	src, err := newReader(parsed, *hide)
	if err != nil {
		return err
	}
	settings := render.Settings{EscapeCommands: *escape}
	if settings.Mode, err = render.ParseMode(*mode); err != nil {
		return usageError{err}
	}
	if settings.Style, err = render.ParseStyle(*style); err != nil {
		return usageError{err}
	}
	in, err := openInput(name, stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := lineReader{name: name, max: f.maxLine}
	defer func() {
		if lines.skipped > 0 {
			fmt.Fprintf(stderr, "tailspan: skipped %d lines longer than %d bytes\n", lines.skipped, lines.max)
		}
	}()
	if name == stdinName {
		return renderLines(&lines, in, src, render.New(stdout, settings), settings)
	}
	out := bufio.NewWriterSize(stdout, readBytes)
	err = renderLines(&lines, in, src, render.New(out, settings), settings)
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write log: %w", flushed)
	}
	return err
}

// renderLines renders the lines of in to their end.
func renderLines(lines *lineReader, in io.Reader, src *reader, r *render.Renderer, settings render.Settings) error {
	words := settings.Mode == render.ModeVerbose && settings.Style == render.StyleTranscript
	show := func(all []events.DisplayEvent) {
		for i := range all {
			r.Emit(&all[i])
		}
	}
	emit := func(all []events.DisplayEvent) error {
		show(all)
		for _, line := range src.Raw() {
			r.PassThrough(line)
		}
		return r.Err()
	}
	var mu sync.Mutex
	stop := src.ticking(lines.name, &mu, show)
	err := lines.records(in, func(line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if settings.Mode == render.ModeJSON {
			r.Raw(src.bytes(line))
			return r.Err()
		}
		out := src.ParseEvents(line)
		if words && len(out) == 0 && src.LineStatus() == events.LineMalformed {
			r.PassThrough(src.bytes(line)) // a transcript shows what the program said besides
		}
		return emit(out)
	})
	stop()
	if err == nil {
		err = emit(src.Flush())
	}
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	return nil
}
