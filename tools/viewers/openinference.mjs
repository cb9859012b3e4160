// Reads OTLP JSON from standard input and writes the mapper's result for each span: a list of name, kind and attributes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.argv[2] + "/");
const { convertGenAISpanAttributesToOpenInferenceSpanAttributes: convert } = require("@arizeai/openinference-genai");

function plain(value) {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plain);
  if (value.kvlistValue) return attributes(value.kvlistValue.values ?? []);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

function attributes(list) {
  return Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));
}

const spans = JSON.parse(readFileSync(0, "utf8"))
  .resourceSpans.flatMap((r) => r.scopeSpans)
  .flatMap((s) => s.spans);
console.log(JSON.stringify(spans.map((s) => ({ name: s.name, attributes: convert(attributes(s.attributes ?? [])) }))));
