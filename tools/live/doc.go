// Package live has the tests that run the real agent CLIs against a model server of ours (internal/mockmodel), through the
// built command and collector, and compare spans, outcomes, tokens and times with what the server served and what was done
// to the run. `make live` installs the CLIs from npm (install, clis.txt) and runs the tests in a network of their own
// (isolated); without the CLIs they are skipped.
//
// A scenario is a script for the model, what is done to the CLI, and an expectation. A limit of a CLI says what its format
// does not show of it. docs/conformance.md is made of both.
//
//	TAILSPAN_CLIS       the folder that `make live` installed the CLIs into
//	TAILSPAN_COLLECTOR  the collector
//	TAILSPAN_COMMAND    the command
//	TAILSPAN_KEEP       a folder for what each scenario wrote; may be empty
//	TAILSPAN_ISOLATED   set in a network of its own
package live
