// Package cli holds what the commands of a program share: the table of commands, flags, help, errors and exit codes.
//
// A [Program] is a table of [Command] values. A command declares its flags and returns an [Action]; everything else (parsing,
// help, one-line errors, exit codes) follows from the table. Help, shell completion and manual page come from the same values.
//
// An action may fail with any error. A [UsageError] is a wrong call (exit code 2), an [ExitError] any other exit code without a
// message. A reader that closes our output (EPIPE) is a normal end.
package cli
