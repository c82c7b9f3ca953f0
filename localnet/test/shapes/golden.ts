import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Shapes } from "./shape.ts"

const FILE = join(import.meta.dirname, "golden.txt")
const INDENT = "    "

/** The shapes of a validator's responses. The file lists each shape, followed by the calls with this shape. */
export function readGolden(): Shapes {
  const shapes: Shapes = {}
  let shape = ""
  for (const line of readFileSync(FILE, "utf8").trimEnd().split("\n")) {
    if (!line.startsWith(INDENT)) shape = line
    else shapes[line.slice(INDENT.length)] = shape
  }
  return shapes
}

export function writeGolden(shapes: Shapes) {
  const names = Map.groupBy(Object.keys(shapes), (name) => shapes[name]!)
  const groups = [...names].map(([shape, calls]) => [shape, ...calls.map((name) => INDENT + name)].join("\n"))
  writeFileSync(FILE, `${groups.join("\n")}\n`)
}
