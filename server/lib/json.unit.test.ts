import canonicalize from "canonicalize"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Failure } from "#shared/errors.ts"
import { canonicalJson, type Json, JsonNumber, plainJson, readJson, readJsonObject } from "./json.ts"

const read = (text: string): Json => readJson(Buffer.from(text))
const plain = (text: string): unknown => plainJson(read(text))
const canonical = (text: string): string => canonicalJson(read(text))

/** The code and message with which a text is refused. */
function refusal(bytes: string | Buffer): [code: string, detail: string] {
  try {
    readJson(Buffer.from(bytes))
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.message]
    throw error
  }
  throw new Error("It was read.")
}

/** The value as from JSON.parse, with numbers as doubles. */
function rough(value: Json): unknown {
  if (value instanceof JsonNumber) return Number(value.source)
  if (Array.isArray(value)) return value.map(rough)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rough(one)]))
}

/** The result of JSON.parse, or undefined if it throws. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const repeated = (text: string): boolean => {
  try {
    return readJson(Buffer.from(text)) === undefined
  } catch (error) {
    return /twice/.test((error as Error).message)
  }
}

describe("reading", () => {
  test("output of JSON.stringify is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, "\t"), (text, indent) => {
        fc.pre(!repeated(text))
        const spaced = JSON.stringify(JSON.parse(text), null, indent)
        expect(rough(read(spaced))).toEqual(JSON.parse(spaced))
      }),
      { numRuns: 500 },
    )
  })

  test("exactly the texts that JSON.parse accepts are read, except those with a duplicate member", () => {
    const token = fc.constantFrom(
      ...'{}[]:,"\\ \n\u0001\u2028eE+-.0123456789tfnu/'.split(""),
      ...["true", "false", "null", '"a"', '"\\u0062"', '"\\x"', '{"a":', "1e5", "-0", "01", "1.", "\ufeff"],
    )
    const text = fc.oneof(
      fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join("")),
      // A valid text with one token too many.
      fc.tuple(fc.json({ maxDepth: 3 }), token, fc.nat()).map(([json, one, at]) => {
        const cut = at % (json.length + 1)
        return json.slice(0, cut) + one + json.slice(cut)
      }),
    )
    fc.assert(
      fc.property(text, (sent) => {
        // We also ignore a byte order mark before the text.
        const wanted = parsed(sent.replace(/^\ufeff/, ""))
        fc.pre(sent.isWellFormed() && !repeated(sent))
        if (wanted === undefined) expect(refusal(sent)[0]).toBe("malformed_json")
        else expect(rough(read(sent))).toEqual(wanted)
      }),
      { numRuns: 5000 },
    )
  })

  test.each([
    ['{"a":1,"a":1}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"rules":{"b":1,"c":2,"b":3}}', "b"],
    ['[[{"a":[{"z":1,"z":1}]}]]', "z"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"constructor":1,"constructor":2}', "constructor"],
    ['{"":1,"":2}', ""],
  ])("a duplicate member is refused by name: %s", (text, member) => {
    expect(refusal(text)).toEqual(["malformed_json", `${member}: in the body twice. Send it once.`])
  })

  test("the same name in two objects is no duplicate, and names of Object.prototype are ordinary", () => {
    expect(canonical('{"a":{"a":1},"b":[{"a":1},{"a":2}]}')).toBe('{"a":{"a":1},"b":[{"a":1},{"a":2}]}')
    const object = readJsonObject(Buffer.from('{"__proto__":{"x":1},"toString":2}'))
    expect(Object.keys(object)).toEqual(["__proto__", "toString"])
    expect(Object.getPrototypeOf(plainJson(object))).toBeNull()
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test("a byte order mark is ignored before the text and refused within it", () => {
    expect(plain('\ufeff{"a":1}')).toEqual(Object.assign(Object.create(null), { a: 1 }))
    expect(refusal("\ufeff\ufeff{}")[0]).toBe("malformed_json")
    expect(refusal("{}\ufeff")[0]).toBe("malformed_json")
    expect(refusal("\ufeff")[0]).toBe("malformed_json")
  })

  test("text that is not UTF-8 or nested deeper than 32 levels is refused", () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))[0]).toBe("malformed_request")
    // A surrogate in UTF-8, and a slash written in two bytes.
    expect(refusal(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))[0]).toBe("malformed_request")
    expect(refusal(Buffer.from([0x22, 0xc0, 0xaf, 0x22]))[0]).toBe("malformed_request")
    expect(canonical("[".repeat(32) + "]".repeat(32))).toHaveLength(64)
    expect(refusal("[".repeat(33) + "]".repeat(33))[0]).toBe("malformed_request")
    expect(refusal('{"a":'.repeat(100_000))[0]).toBe("malformed_request")
  })

  test("only an object is accepted as an object", () => {
    for (const text of ["[]", '"{}"', "null", "1", "1.5", "true"]) {
      expect(() => readJsonObject(Buffer.from(text))).toThrow("The body must be a JSON object.")
    }
  })
})

describe("numbers", () => {
  test.each([
    ["1", ["1.0", "1e0", "10e-1", "0.1E+1", "1.000000000000000000000000", "0.00001e5", "1e00000000000000000000"]],
    ["0", ["-0", "0.0", "0e5", "-0.0e-7", "0e999999999999999999999999"]],
    ["-250.5", ["-250.50", "-2505e-1", "-2.505E2"]],
    ["100000", ["1e5", "1E5", "100000.0", "0.1e6"]],
    ["1e+21", ["1e21", "1000000000000000000000"]],
    ["1e400", ["10e399", "0.1e401", `1${"0".repeat(400)}`]],
  ])("all ways to write %s have one canonical form", (number, others) => {
    for (const other of others) expect(canonical(other), other).toBe(canonical(number))
  })

  test.each([
    ["9007199254740993", "9007199254740992"],
    ["0.1", "0.1000000000000000055511151231257827"],
    ["1e400", "1e401"],
    ["1e400", "-1e400"],
    ["1e-400", "0"],
    ["1e-999999999", "1e-999999998"],
    ["6", "6.0000000000000001"],
    ["18446744073709551615", "18446744073709551616"],
    ["1", '"1"'],
    ["1e99999999999999999999", "1e99999999999999999998"],
  ])("%s and %s have different forms", (one, other) => {
    expect(canonical(one)).not.toBe(canonical(other))
  })

  test("numbers that a double holds are written as RFC 8785 writes them", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(canonical(JSON.stringify(number))).toBe(canonicalize(number))
        expect(plain(JSON.stringify(number))).toBe(number + 0)
      }),
    )
    const body = { schemaId: "kyc_individual_v1", a: { c: [1, 0.5, "\u20ac\n"], b: null } }
    expect(canonical(JSON.stringify(body))).toBe(canonicalize(body))
  })

  test("two texts have the same form exactly if they are the same number", () => {
    const digits = fc.integer({ min: 0, max: 10 ** 6 }).map(String)
    const number = fc.tuple(digits, digits, fc.integer({ min: -20, max: 20 }))
    const text = number.map(([whole, fraction, power]) => `${whole}.${fraction}e${power}`)
    const value = (source: string): bigint => {
      const [, whole, fraction, power] = /^(\d+)\.(\d+)e(.+)$/.exec(source)!
      return BigInt(whole! + fraction!) * 10n ** BigInt(40 + Number(power) - fraction!.length)
    }
    fc.assert(
      fc.property(text, text, fc.nat(30), (one, other, zeros) => {
        expect(canonical(one) === canonical(other)).toBe(value(one) === value(other))
        const [mantissa, power] = one.split("e")
        expect(canonical(`${mantissa}${"0".repeat(zeros)}e${power}`)).toBe(canonical(one))
      }),
    )
  })

  test("exponents are never expanded, and fields refuse a number that a double would change", () => {
    expect(canonical("[1e-999999999]").length).toBeLessThan(20)
    expect(canonical(`1e${"9".repeat(60_000)}`).length).toBeLessThan(60_010)
    for (const text of ["9007199254740993", "6.0000000000000001", "1e400", "1e-999999999"])
      expect(plain(text)).toBeNaN()
    expect(plain("[6.0, 6e0, 0.1, -0]")).toEqual([6, 6, 0.1, 0])
  })
})
