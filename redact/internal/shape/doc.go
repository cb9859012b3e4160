// Package shape finds secrets that their own form identifies: the keys and tokens of shapes.txt, JSON web tokens, private key
// blocks, and the secret that goes with an AWS key id.
//
// shapes.txt is the one table of facts about what vendors issue, each with its source and date. A [Shape] is a row: literal
// text and parts of a class and a length. A caller finds the anchor of a shape, its longest literal, and asks [At] with the
// place; [MayBe] excludes most places at the cost of two bytes. Each function reads a bounded part of the text around the
// place, or a sequence whose end is remembered. The table is read once and never changes.
package shape
