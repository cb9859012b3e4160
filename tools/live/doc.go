// Package live tests the real agent CLIs against our own model server (internal/mockmodel), through the built command and
// collector. The tests compare spans, outcomes, tokens and times with what the server served and with what was done to the
// run. `make live` installs the CLIs from npm (install, clis.txt) and runs the tests in a separate network (isolated).
// Without the CLIs they are skipped.
//
// A scenario is a script for the model, what is done to the CLI, and an expectation. A limit of a CLI lists what its
// format does not show of a scenario. docs/conformance.md is generated from both.
//
//	TAILSPAN_CLIS       the folder into which `make live` installed the CLIs
//	TAILSPAN_COLLECTOR  the collector
//	TAILSPAN_COMMAND    the command
//	TAILSPAN_KEEP       a folder for the files of each scenario; optional
//	TAILSPAN_ISOLATED   set in a separate network
package live
