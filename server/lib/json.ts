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

/**
 * Reads JSON (RFC 8259) without ambiguity: a duplicate member is refused at any depth, even if its name is escaped
 * differently, and numbers keep their digits. A byte order mark before the text is ignored. Errors: malformed_json;
 * malformed_request if it is not UTF-8 or nested too deeply.
 */
export function readJson(bytes: Buffer): Json {
  return new Reader(readText(bytes)).read()
}

/** Like readJson, but accepts only an object. Errors: malformed_json, malformed_request. */
export function readJsonObject(bytes: Buffer): JsonObject {
  const value = readJson(bytes)
  if (isObject(value)) return value
  return fail("malformed_request", "The body must be a JSON object.")
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
/** Integers that String(Number(source)) returns unchanged. */
const PLAIN = /^(?:0|-?[1-9][0-9]{0,14})$/

const QUOTE = 0x22
const BACKSLASH = 0x5c

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Json {
    const value = this.#value(1)
    this.#space()
    if (this.#at < this.#text.length) this.#refuse()
    return value
  }

  #value(depth: number): Json {
    this.#space()
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b:
        return this.#object(depth)
      case 0x5b:
        return this.#array(depth)
      case QUOTE:
        return this.#string()
      case 0x74:
        return this.#word("true", true)
      case 0x66:
        return this.#word("false", false)
      case 0x6e:
        return this.#word("null", null)
      default:
        return this.#number()
    }
  }

  #object(depth: number): JsonObject {
    this.#enter(depth)
    // Without a prototype, so that __proto__ is a member like any other.
    const object: JsonObject = Object.create(null)
    if (this.#skip(0x7d)) return object
    do {
      this.#space()
      if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#refuse()
      const member = this.#string()
      if (member in object) fail("malformed_json", `${quoted(member)}: in the body twice. Send it once.`)
      if (!this.#skip(0x3a)) this.#refuse()
      object[member] = this.#value(depth + 1)
    } while (this.#skip(0x2c))
    if (!this.#skip(0x7d)) this.#refuse()
    return object
  }

  #array(depth: number): Json[] {
    this.#enter(depth)
    const array: Json[] = []
    if (this.#skip(0x5d)) return array
    do array.push(this.#value(depth + 1))
    while (this.#skip(0x2c))
    if (!this.#skip(0x5d)) this.#refuse()
    return array
  }

  /** Continues after an opening bracket. */
  #enter(depth: number): void {
    if (depth > MAX_DEPTH)
      fail("malformed_request", `The body is nested deeper than ${MAX_DEPTH} levels. Send a flatter one.`)
    this.#at++
  }

  #string(): string {
    const begin = this.#at
    let escaped = false
    for (;;) {
      const c = this.#text.charCodeAt(++this.#at)
      if (c === QUOTE) break
      if (c === BACKSLASH) {
        escaped = true
        this.#at++
      } else if (!(c >= 0x20)) this.#refuse() // A control character, or the end of the text.
    }
    this.#at++
    if (!escaped) return this.#text.slice(begin + 1, this.#at - 1)
    try {
      return JSON.parse(this.#text.slice(begin, this.#at))
    } catch {
      return this.#refuse()
    }
  }

  #number(): number | JsonNumber {
    NUMBER.lastIndex = this.#at
    const source = NUMBER.exec(this.#text)?.[0]
    if (source === undefined) return this.#refuse()
    this.#at += source.length
    return PLAIN.test(source) ? Number(source) : new JsonNumber(source)
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) return this.#refuse()
    this.#at += word.length
    return value
  }

  /** Whether this character is next after white space. If so, moves past it. */
  #skip(character: number): boolean {
    this.#space()
    if (this.#text.charCodeAt(this.#at) !== character) return false
    this.#at++
    return true
  }

  #space(): void {
    for (;;) {
      const c = this.#text.charCodeAt(this.#at)
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return
      this.#at++
    }
  }

  #refuse(): never {
    const where = this.#at >= this.#text.length ? "it ends too early" : `see character ${this.#at + 1}`
    return fail("malformed_json", `The body is not valid JSON: ${where}.`)
  }
}

/**
 * The canonical text of JSON by RFC 8785, except that a number which a double would change keeps its digits. So 1, 1.0 and
 * 1e0 are equal, and exponents are never expanded.
 */
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
