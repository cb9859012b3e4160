// Package hints warns about settings that do not fit the files that are read: a path_pattern that matches none of them, and a
// provider that is not that of a file. Each warning comes once and names the setting.
package hints
