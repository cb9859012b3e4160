// Package doctor checks what tailspan would read and send, and says what is wrong with it.
//
// [Examine] is for places with sessions, [CheckExport] for files that a collector exported. Each prints what there is, and
// then the problems, one a line, with a kind in front; it fails with [ErrProblems] if there are any. What is worth to be known and no
// problem is a note.
//
// Of a place 200 files are opened and 64 MiB are read, the newest files first, and of each further file as much as shows who wrote it: a
// place may be a home with years of sessions.
package doctor
