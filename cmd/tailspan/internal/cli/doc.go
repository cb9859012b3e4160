// Package cli is what the commands of a program have in common: a table of them, their flags, their help, how they fail and
// how they exit.
//
// A [Program] is a table of [Command] values. A command declares its flags and returns an [Action]; all else (parsing, help,
// errors in one line, exit codes) is done here, from the table. What a program consists of is written once: its help,
// its shell completion and its manual page come from the same values.
//
// An action fails with any error; a [UsageError] is a wrong call (exit code 2), an [ExitError] any other exit code without a
// message. A reader that goes away (EPIPE) is a normal end.
package cli
