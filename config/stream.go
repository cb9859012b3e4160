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

// CheckContainer reports what is wrong with a value of Stream.Container.
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

// Stream says which files are read, and how.
type Stream struct {
	// Include are the globs of the files to read; `**` stands for any number of folders, `~` for the home folder.
	Include []string `mapstructure:"include"`
	// Exclude are globs of files that are left out.
	Exclude []string `mapstructure:"exclude"`
	// Databases are globs of OpenCode's databases. One called opencode.db that include matches need not be listed.
	Databases []string `mapstructure:"databases"`
	// StartAt says where to begin in files that are there at start: "beginning" or "end". Files that appear later are
	// always read from their beginning.
	StartAt string `mapstructure:"start_at"`
	// IncludeFileName adds the name of the file to the resource of what comes from it, as log.file.name.
	IncludeFileName bool `mapstructure:"include_file_name"`
	// IncludeFilePath adds the absolute path of the file to the resource of what comes from it, as log.file.path.
	IncludeFilePath bool `mapstructure:"include_file_path"`
	// Provider is the format of the files; "auto" detects it from the first lines, "none" exports the lines as they are.
	Provider string `mapstructure:"provider"`
	// RawLines also exports every line as it is, unparsed and unredacted, as a record tailspan.raw, for exporters that
	// write lines.
	RawLines bool `mapstructure:"raw_lines"`
	// Container says whether the framing of container runtimes (CRI, Docker's json-file) and the time prefix of CI logs are
	// taken off lines: "auto" where a line has one, or "none".
	Container string `mapstructure:"container"`
	// Unrecognized says what becomes of lines of no known provider: "pass", as records tailspan.raw, or "drop". What an agent
	// keeps for itself, and what lies behind a link that leaves the watched folders, never passes.
	Unrecognized string `mapstructure:"unrecognized"`
	// PollInterval is how often the globs are scanned, beside the notifications of the file system.
	PollInterval time.Duration `mapstructure:"poll_interval"`
	// ForceFlushPeriod is how long a last line without its newline waits before it is taken, if it is a complete object.
	ForceFlushPeriod time.Duration `mapstructure:"force_flush_period"`
	// IdleClose is the time without a line after which open spans of a file are closed; if it grows again, they continue.
	// 0: never.
	IdleClose time.Duration `mapstructure:"idle_close"`
	// ExcludeOlderThan leaves files alone that were not changed for that long, until they are. 0: none.
	ExcludeOlderThan time.Duration `mapstructure:"exclude_older_than"`
	// MaxLineSize is the longest line; longer ones are counted, and read in part.
	MaxLineSize Size `mapstructure:"max_line_size"`
	// MaxDocumentSize is the largest document (a file ending in .json); larger ones are skipped and counted.
	MaxDocumentSize Size `mapstructure:"max_document_size"`
	// MaxConcurrentFiles is how many files are open at once.
	MaxConcurrentFiles int `mapstructure:"max_concurrent_files"`
}

// NewDefaultStream are the defaults.
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

// Check reports what is wrong; what a glob and a provider may be is checked by the packages that know.
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
