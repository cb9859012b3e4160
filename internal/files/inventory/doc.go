// Package inventory records which files existed at the last start and were skipped.
//
// An [Inventory] is what a store has of the last start: the patterns, and hashes of the files that had no checkpoint. It shows
// that a file that arrived while no process ran is new, whatever its times. It is loaded at start, asked about each file of
// the first scan, and saved; after that it is empty. It is for use by one goroutine.
package inventory
