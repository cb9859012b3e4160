// Package doctor checks what tailspan would read and send, and says what is wrong with it.
//
// [Examine] checks places with sessions, [CheckExport] exported files. Both print what they find, then the problems, one per line
// with their kinds; any problem makes them return [ErrProblems]. Other useful facts are notes.
// problem is a note.
//
// Of a place, 200 files are opened and 64 MiB are read, the newest files first. Of each further file only the beginning is read,
// until its writer is known: a place may be a home folder with years of sessions.
package doctor
