import { fail } from "#shared/errors.ts"
import { quoted, readText } from "./text.ts"

/** Deepest nesting of JSON. Requests to Vouch are flat, so more would only cost time. */
const MAX_DEPTH = 32

/** A number that a double may not hold exactly, or that JavaScript would write differently. */
export class JsonNumber {
  readonly source: string
  /** The canonical text of a number: as JavaScript writes it, or all digits if a double would change it. */
  readonly canonical: string
  /** NaN if a double would change it. No field accepts NaN. */
  readonly value: number

  constructor(source: string) {
    this.source = source
    const number = Number(source)
    const text = String(number)
    const exact = text === source ? text : decimalOf(source)
    const held = text === source || decimalOf(text) === exact
    this.canonical = held ? text : exact
    this.value = held ? number + 0 : Number.NaN
  }
}

/** Sign, digits without leading or trailing zeros, and the power of ten: `-15e-1` for `-1.50`. */
function decimalOf(number: string): string {
  const e = number.search(/e/i)
  const power = e < 0 ? "0" : number.slice(e + 1)
  const sign = number.startsWith("-") ? "-" : ""
  const mantissa = number.slice(sign.length, e < 0 ? undefined : e)
  const point = mantissa.indexOf(".")
  const whole = point < 0 ? mantissa : mantissa.slice(0, point)
  const fraction = point < 0 ? "" : mantissa.slice(point + 1)
  const digits = whole + fraction
  let [from, to] = [0, digits.length]
  while (digits[from] === "0") from++
  if (from === to) return "0"
  while (digits[to - 1] === "0") to--
  const shift = digits.length - to - fraction.length
  const exponent = power.length < 15 ? Number(power) + shift : BigInt(power) + BigInt(shift)
  return `${sign}${digits.slice(from, to)}e${exponent}`
}

export type Json = null | boolean | number | string | JsonNumber | Json[] | JsonObject
export type JsonObject = { [member: string]: Json }

const STRING = String.raw`"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"`
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`
const VALUE = new RegExp(`${STRING}|${NUMBER}|true|false|null`, "y")
/** Integers that String(Number(source)) returns unchanged. */
const PLAIN = /^(?:0|-?[1-9][0-9]{0,14})$/

/**
 * Reads JSON (RFC 8259) without ambiguity: a duplicate member is refused at any depth, even if its name is escaped
 * differently, and numbers keep their digits. A byte order mark before the text is ignored. Errors: malformed_json;
 * malformed_request if it is not UTF-8 or nested too deeply.
 */
export function readJson(bytes: Buffer): Json {
  const text = readText(bytes)
  /** Where the last token starts and ends. */
  let [start, end] = [0, 0]

  const refuse = (): never => {
    const where = start >= text.length ? "it ends too early" : `see character ${start + 1}`
    return fail("malformed_json", `The body is not valid JSON: ${where}.`)
  }

  /** The next token after white space; empty at the end. */
  const next = (): string => {
    while (" \n\r\t".includes(text[end] ?? "end")) end++
    start = end
    const first = text[end]
    if (first === undefined || "{}[]:,".includes(first)) {
      end++
      return first ?? ""
    }
    VALUE.lastIndex = end
    if (!VALUE.test(text)) return refuse()
    end = VALUE.lastIndex
    return text.slice(start, end)
  }

  const string = (token: string): string => {
    if (!token.includes("\\")) return token.slice(1, -1)
    try {
      return JSON.parse(token)
    } catch {
      return refuse()
    }
  }

  /** Reads what is between two brackets, separated by commas. */
  const entries = (closing: string, depth: number, read: (first: string) => void): void => {
    if (depth > MAX_DEPTH)
      fail("malformed_request", `The body is nested deeper than ${MAX_DEPTH} levels. Send a flatter one.`)
    let token = next()
    if (token === closing) return
    for (;;) {
      read(token)
      token = next()
      if (token === closing) return
      if (token !== ",") refuse()
      token = next()
    }
  }

  const value = (token: string, depth: number): Json => {
    if (token === "{") {
      // Without a prototype, so that __proto__ is a member like any other.
      const object: JsonObject = Object.create(null)
      entries("}", depth, (first) => {
        if (!first.startsWith('"')) refuse()
        const member = string(first)
        if (member in object) fail("malformed_json", `${quoted(member)}: in the body twice. Send it once.`)
        if (next() !== ":") refuse()
        object[member] = value(next(), depth + 1)
      })
      return object
    }
    if (token === "[") {
      const array: Json[] = []
      entries("]", depth, (first) => array.push(value(first, depth + 1)))
      return array
    }
    if (token.startsWith('"')) return string(token)
    if (token === "true" || token === "false") return token === "true"
    if (token === "null") return null
    if (!/^[-\d]/.test(token)) return refuse()
    return PLAIN.test(token) ? Number(token) : new JsonNumber(token)
  }

  const read = value(next(), 1)
  return next() === "" ? read : refuse()
}

/** Like readJson, but accepts only an object. Errors: malformed_json, malformed_request. */
export function readJsonObject(bytes: Buffer): JsonObject {
  const value = readJson(bytes)
  if (isObject(value)) return value
  return fail("malformed_request", "The body must be a JSON object.")
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

/** JSON by RFC 8785: 1, 1.0 and 1e0 are equal. A number that a double would change keeps its digits. */
export function canonicalJson(value: Json): string {
  if (value instanceof JsonNumber) return value.canonical
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name]!)}`).join(",")}}`
}

/** The value with plain numbers. One that a double would change is NaN, which no field accepts. */
export function plainJson(value: Json): unknown {
  if (value instanceof JsonNumber) return value.value
  if (Array.isArray(value)) return value.map(plainJson)
  if (!isObject(value)) return value
  const plain: { [member: string]: unknown } = Object.create(null)
  for (const name in value) plain[name] = plainJson(value[name]!)
  return plain
}
