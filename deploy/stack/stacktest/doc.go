// Package stacktest proves the stack: it plays all recordings of testdata/spans and the sample agents to the running servers,
// executes every query of every panel and every alert rule, and compares what back ends add up with the truth that lies
// beside the recordings. `make stack-test` runs it; it writes what it saw to docs/stack-queries.md.
package stacktest
