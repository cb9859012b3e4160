// Package replay turns a recorded session into one that happens now. [Stamp] shifts every time in the recording by
// the same duration and replaces every ID by a new one, consistently, so that a recording can be played any number of
// times and each is a separate session. [Play] writes the lines at the pace of the recording.
//
// Times are RFC 3339 in UTC and milliseconds since 1970 with thirteen digits. IDs are UUIDs and the prefixed IDs of
// the providers (msg_..., toolu_..., call_...). Everything else is copied byte for byte.
package replay
