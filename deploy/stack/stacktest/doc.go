// Package stacktest tests the stack: it replays all recordings of testdata/spans and the sample agents to the running servers,
// executes every query of every panel and every alert rule, and compares the sums of the back ends with the expected ones beside
// the recordings. `make stack-test` runs it; it writes its results to docs/stack-queries.md.
package stacktest
