// Package trial has the tests that need the built programs. They kill the collector, refuse its exports and write files
// in the way agents do, and count what reaches a sink. The targets are `make torture`, `make endurance`, `make scale` and
// `make cases`; without a program the tests are skipped.
//
//	TAILSPAN_COLLECTOR  the collector
//	TAILSPAN_COMMAND    the command
//	TAILSPAN_SEED       seed for everything random; printed, and random by default
//	TAILSPAN_KILLS      how often the collector is killed, and stopped (10)
//	TAILSPAN_WHOLE      1: outages, load and files at their full duration and size, not scaled down
//	TAILSPAN_CASES      the folder of the cases, which are outside of this repository
package trial
