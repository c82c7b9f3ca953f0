import { z } from "zod"
import { NAME } from "#server/lib/fields.ts"

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Whether a text is an address without credentials: https, or http on loopback. Vouch sends secrets there. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname))
  return isSafe && username === "" && password === ""
}

/** The address of a vendor's API, without a trailing slash. */
export const vendorUrl = z
  .string()
  .refine((text) => {
    if (!isSafeUrl(text)) return false
    const { pathname, search, hash } = new URL(text)
    return pathname === "/" && search === "" && hash === ""
  }, "must be an https address without path, query and credentials")
  .transform((text) => new URL(text).origin)

/** A secret or a key: visible ASCII, as the vendor's dashboard shows it. */
export const vendorSecret = (min = 8) => {
  const error = `must be ${min} visible characters or more, without spaces`
  return z.string().refine((text) => text.length >= min && text.length <= 500 && /^[\x21-\x7e]+$/.test(text), { error })
}

/** Several secrets, separated by spaces during a rotation. Each one is valid. */
export const vendorSecrets = (min = 8) =>
  z
    .string()
    .transform((text) => text.split(" ").filter((one) => one !== ""))
    .pipe(z.array(vendorSecret(min)).min(1, { error: "must not be empty" }))

export type PerSchema = {
  of(schemaId: string): string
  /** Each value once, the default first. */
  all: readonly string[]
  /** Schemas with their own value. */
  schemas: readonly string[]
}

/** `basic, accredited_investor_v1=investor`: a default, and values for single schemas. */
export function perSchema({ what, pattern }: { what: string; pattern: RegExp }) {
  const error = `must be ${what} for all schemas, and others as schema=value, separated by commas`
  return z.string().transform((text, context): PerSchema => {
    const byDefault: string[] = []
    const bySchema = new Map<string, string>()
    let isRight = true
    for (const part of text.split(",").map((part) => part.trim())) {
      const at = part.indexOf("=")
      const [schema, value] = at < 0 ? [null, part] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
      if (!pattern.test(value)) isRight = false
      if (schema === null) byDefault.push(value)
      else if (NAME.test(schema) && !bySchema.has(schema)) bySchema.set(schema, value)
      else isRight = false
    }
    const [first, second] = byDefault
    if (!isRight || first === undefined || second !== undefined) {
      context.addIssue({ code: "custom", message: error })
      return z.NEVER
    }
    return {
      of: (schemaId) => bySchema.get(schemaId) ?? first,
      all: [...new Set([first, ...bySchema.values()])],
      schemas: [...bySchema.keys()],
    }
  })
}

export const listOf = ({ what, pattern }: { what: string; pattern: RegExp }) =>
  z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .refine((parts) => parts.every((part) => pattern.test(part)), {
      error: `must be ${what}, or several separated by commas`,
    })
