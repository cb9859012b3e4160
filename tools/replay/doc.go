// Package replay turns a recorded session into one that happens now. [Stamp] moves every time in the recording by one
// distance and gives every id a new value, the same one wherever the id occurs, so that a recording can be played any
// number of times and each is a session of its own. [Play] writes the lines at the pace of the recording.
//
// Times are RFC 3339 in UTC and milliseconds since 1970 of thirteen digits; ids are UUIDs and the prefixed ids of the
// providers (msg_..., toolu_..., call_...). Everything else is passed on byte for byte.
package replay
