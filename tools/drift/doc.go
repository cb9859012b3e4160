// Command drift compares the types that the makers of agents publish with those that we know.
//
// In go the newest packages of npm that hold a format's types (see checks), fetched by the npm client into a folder that is
// removed afterwards; out comes a list of the types that neither a parser nor its table in docs/formats knows, and of those
// that one of the two knows alone. It runs by hand (`make drift`) or on a schedule, never in a build: what it says depends
// on what was published today.
//
// It exits 0 if all is known, 1 if there is something new, 2 if it could not compare: npm is missing, a package was not to
// be had, or its types have moved.
//
// Of a program that is published as a bundle of JavaScript it reads sets of strings and arguments of calls (bundle.go).
//
// Of TypeScript it reads what declaration files are made of: type aliases, interfaces, enums, unions, intersections,
// object types and literals. What it can not read (conditional and mapped types, generics) holds no names for it.
package main
