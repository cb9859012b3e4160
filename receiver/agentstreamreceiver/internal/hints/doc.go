// Package hints warns about settings that do not fit the files: a path_pattern that matches none of them, and a provider other
// than that of a file. Each warning is logged once and names the setting.
package hints
