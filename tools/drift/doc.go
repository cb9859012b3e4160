// Command drift compares the types that the makers of agents publish with those that we know.
//
// It downloads the newest npm packages that contain a format's types (see checks), with the npm client, into a folder that
// it removes afterwards. It lists the types that neither a parser nor its table in docs/formats knows, and those that only
// one of the two knows. Run it by hand (`make drift`) or on a schedule, never in a build: the result depends on what was
// published today.
//
// It exits with 0 if everything is known, 1 if there is something new, and 2 if it cannot compare: npm is missing, a
// package is not available, or its types have moved.
//
// From a program that is published as a bundle of JavaScript it reads sets of strings and arguments of calls (bundle.go).
//
// From TypeScript it reads the elements of declaration files: type aliases, interfaces, enums, unions, intersections,
// object types and literals. It finds no names in what it cannot parse (conditional and mapped types, generics).
package main
