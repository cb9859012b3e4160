// Package options defines the groups of flags that several commands share: how a stream is read ([Stream]), whose work it is
// ([Identity]), what the readable log looks like ([Look]).
//
// Each group declares its flags with Add and converts them to the settings of the packages that do the work.
package options
