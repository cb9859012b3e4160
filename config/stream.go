package config

import (
	"errors"
	"fmt"
	"time"
)

// Values of Stream.StartAt.
const (
	StartAtBeginning = "beginning"
	StartAtEnd       = "end"
)

// Values of Stream.Container.
const (
	ContainerAuto = "auto"
	ContainerNone = "none"
)

// CheckContainer returns an error for an invalid value of Stream.Container.
func CheckContainer(value string) error {
	if value != ContainerAuto && value != ContainerNone {
		return fmt.Errorf("container must be %q or %q, got %q", ContainerAuto, ContainerNone, value)
	}
	return nil
}

// Values of Stream.Unrecognized.
const (
	UnrecognizedRaw  = "pass"
	UnrecognizedDrop = "drop"
)

// Stream configures which files are read, and how.
type Stream struct {
	// Include are globs of the files to read; `**` stands for any number of folders, `~` for the home folder.
	Include []string `mapstructure:"include"`
	// Exclude are globs of files that are not read.
	Exclude []string `mapstructure:"exclude"`
	// Databases are globs of OpenCode databases. A file named opencode.db that include matches need not be listed.
	Databases []string `mapstructure:"databases"`
	// StartAt is where reading begins in files that exist at start: "beginning" or "end". Files that appear later are always
	// read from their beginning.
	StartAt string `mapstructure:"start_at"`
	// IncludeFileName adds the file name to the resource of exported data, as log.file.name.
	IncludeFileName bool `mapstructure:"include_file_name"`
	// IncludeFilePath adds the absolute file path to the resource of exported data, as log.file.path.
	IncludeFilePath bool `mapstructure:"include_file_path"`
	// Provider is the format of the files; "auto" detects it from the first lines, "none" exports the lines unparsed.
	Provider string `mapstructure:"provider"`
	// RawLines additionally exports every line, unparsed and unredacted, as a tailspan.raw record, for exporters that write
	// lines.
	RawLines bool `mapstructure:"raw_lines"`
	// Container is whether the framing of container runtimes (CRI, Docker's json-file) and the time prefix of CI logs are
	// removed from lines: "auto" removes them if a line has one, "none" never does.
	Container string `mapstructure:"container"`
	// Unrecognized is what happens to lines of no known provider: "pass" exports them as tailspan.raw records, "drop" drops
	// them. An agent's own bookkeeping files, and files behind a link that leaves the watched folders, are never exported.
	Unrecognized string `mapstructure:"unrecognized"`
	// PollInterval is how often the globs are scanned, in addition to file system notifications.
	PollInterval time.Duration `mapstructure:"poll_interval"`
	// ForceFlushPeriod is how long an unterminated last line waits before it is read, if it is a complete object.
	ForceFlushPeriod time.Duration `mapstructure:"force_flush_period"`
	// IdleClose is the time without a line after which the open spans of a file, document or session of a database are closed. A run
	// is not idle while its sub-agents write to their files. If the file grows again, the spans continue. 0: never.
	IdleClose time.Duration `mapstructure:"idle_close"`
	// ExcludeOlderThan skips files that have not changed for that long, until they change. 0: none.
	ExcludeOlderThan time.Duration `mapstructure:"exclude_older_than"`
	// MaxLineSize is the maximum size of a line; longer lines are counted and read in part.
	MaxLineSize Size `mapstructure:"max_line_size"`
	// MaxDocumentSize is the maximum size of a document (a file ending in .json); larger ones are skipped and counted.
	MaxDocumentSize Size `mapstructure:"max_document_size"`
	// MaxConcurrentFiles is how many files are read at the same time.
	MaxConcurrentFiles int `mapstructure:"max_concurrent_files"`
}

// NewDefaultStream returns the defaults.
func NewDefaultStream() Stream {
	return Stream{
		StartAt:            StartAtEnd,
		IncludeFileName:    true,
		Provider:           "auto",
		Container:          ContainerAuto,
		Unrecognized:       UnrecognizedRaw,
		PollInterval:       time.Second,
		ForceFlushPeriod:   2 * time.Second,
		IdleClose:          time.Hour,
		MaxLineSize:        16 << 20,
		MaxDocumentSize:    64 << 20,
		MaxConcurrentFiles: 16,
	}
}

// Check returns what is wrong, except for globs and the provider, which are checked by the packages that know them.
func (s *Stream) Check() error {
	var errs []error
	if s.StartAt != StartAtBeginning && s.StartAt != StartAtEnd {
		errs = append(errs, fmt.Errorf("start_at must be %q or %q, got %q", StartAtBeginning, StartAtEnd, s.StartAt))
	}
	if s.Unrecognized != UnrecognizedRaw && s.Unrecognized != UnrecognizedDrop {
		errs = append(errs, fmt.Errorf("unrecognized must be %q or %q, got %q", UnrecognizedRaw, UnrecognizedDrop, s.Unrecognized))
	}
	errs = append(errs,
		CheckContainer(s.Container),
		positiveDuration("poll_interval", s.PollInterval),
		positiveDuration("force_flush_period", s.ForceFlushPeriod),
		notNegative("idle_close", s.IdleClose),
		notNegative("exclude_older_than", s.ExcludeOlderThan),
		positive("max_line_size", s.MaxLineSize),
		positive("max_document_size", s.MaxDocumentSize),
		positive("max_concurrent_files", s.MaxConcurrentFiles),
	)
	return errors.Join(errs...)
}
