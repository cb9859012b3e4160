// Package inventory remembers which files existed at the last start and were skipped.
//
// An [Inventory] is what a store has of the last start: the patterns, and hashes of the files that had no checkpoint. With it a
// file that arrived while no process ran is known to be new, whatever its times. It is loaded at start, asked about each file
// of the first scan, and saved; after that it holds nothing. It serves one goroutine.
package inventory
