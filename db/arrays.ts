// Arrays as Postgres writes them: {1,"two",NULL} (https://www.postgresql.org/docs/18/arrays.html#ARRAYS-IO).
// postgres.js would query each new connection for the array types; if that connection breaks, the unhandled
// rejection ends the process.

/** Writes a one-dimensional array as text. Elements are converted to strings, times to ISO 8601. */
function writeArray(value: unknown): string {
  // Already an array's text, or not an array: the database decides.
  if (!Array.isArray(value)) return String(value)
  return `{${value.map(writeElement).join(",")}}`
}

function writeElement(element: unknown): string {
  if (element === null || element === undefined) return "NULL"
  const text = element instanceof Date && !Number.isNaN(element.getTime()) ? element.toISOString() : String(element)
  // Almost no element needs the expression, which costs more than the two searches.
  const isPlain = !text.includes('"') && !text.includes("\\")
  return isPlain ? `"${text}"` : `"${text.replace(/["\\]/g, "\\$&")}"`
}

/** Parses a one-dimensional array. */
function readTexts(text: string): (string | null)[] {
  const elements: (string | null)[] = []
  let at = 1
  while (at < text.length && text[at] !== "}") {
    if (text[at] === ",") at++
    else if (text[at] === '"') {
      let element = ""
      for (at++; text[at] !== '"'; at++) {
        if (text[at] === "\\") at++
        element += text[at]
      }
      elements.push(element)
      at++
    } else {
      const end = text.slice(at).search(/[,}]/) + at
      const element = text.slice(at, end)
      elements.push(element === "NULL" ? null : element)
      at = end
    }
  }
  return elements
}

/** Array types in our statements, by their oid in pg_type.dat. */
const OIDS = {
  name: 1003,
  smallint: 1005,
  int: 1007,
  text: 1009,
  varchar: 1015,
  bigint: 1016,
  float8: 1022,
  timestamptz: 1185,
  numeric: 1231,
}

const readNumbers = (text: string) => readTexts(text).map((element) => (element === null ? null : Number(element)))

/** Array types of columns, and how to parse their elements. */
const readers: Record<string, (text: string) => (string | number | null)[]> = { text: readTexts, int: readNumbers }

export const arrayTypes = Object.fromEntries(
  Object.entries(OIDS).map(([name, oid]) => [
    `${name}_array`,
    { to: oid, from: name in readers ? [oid] : [], serialize: writeArray, parse: readers[name] ?? readTexts },
  ]),
)
