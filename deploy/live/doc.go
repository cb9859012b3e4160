// Package live has the tests that run the real agent CLIs against a model server of ours (internal/mockmodel), through the
// built command and collector, and compare events, spans, outcomes and tokens with what the server served. `make live`
// installs the CLIs from npm and runs it; without them its tests are skipped.
//
//	TAILSPAN_CLIS       the folder that `make live` installed the CLIs into
//	TAILSPAN_COLLECTOR  the collector
//	TAILSPAN_COMMAND    the command
package live
