// Package trial has the tests that need the built programs: the collector is killed, refused and played to by writers who
// do what agents do with files, and what reaches a sink is counted. Its targets are `make torture`, `make endurance`,
// `make scale` and `make cases`; without a program its tests are skipped.
//
//	TAILSPAN_COLLECTOR  the collector
//	TAILSPAN_COMMAND    the command
//	TAILSPAN_SEED       of all that is random; printed, and random itself without one
//	TAILSPAN_KILLS      how often the collector is killed, and stopped (10)
//	TAILSPAN_WHOLE      1: outages, load and files as long and large as they are meant, not scaled down
//	TAILSPAN_CASES      the folder of the cases, which are kept outside of this repository
package trial
