import type { VendorDouble } from "./fixture.ts"

type Forged = { body: string; headers: Record<string, string | string[]> }

/** A webhook's body with every kind of wrong signature. */
export function* forgeries(
  vendor: VendorDouble,
  body: string,
  names: readonly [string, ...string[]],
  /** Whether a vendor sends several signatures during a rotation, of which one is enough. */
  isOneOfSeveral: boolean,
): Generator<[string, Forged]> {
  const signed = vendor.sign(body)
  const [name] = names
  const signature = signed[name]!
  const last = signature.at(-1)!
  for (const missing of names) {
    const { [missing]: _, ...headers } = signed
    yield [`without ${missing}`, { body, headers }]
  }
  const others: Record<string, string> = {
    empty: "",
    "one character too short": signature.slice(0, -1),
    "one character too long": `${signature}0`,
    "cut in half": signature.slice(0, Math.floor(signature.length / 2)),
    "changed in its last character": signature.slice(0, -1) + (last === "0" ? "1" : "0"),
    "not hex": signature.slice(0, -1) + (last === "z" ? "y" : "z"),
    "made for another event": vendor.sign(`${body} `)[name]!,
  }
  for (const [what, value] of Object.entries(others))
    yield [`a signature that is ${what}`, { body, headers: { ...signed, [name]: value } }]
  if (!isOneOfSeveral) {
    yield ["a signature twice as long", { body, headers: { ...signed, [name]: signature + signature } }]
    yield ["two signatures", { body, headers: { ...signed, [name]: [signature, signature] } }]
  }
  yield ["with another secret", { body, headers: vendor.sign(body, { secret: "another-vendor-s-secret-0123456789" }) }]
  yield ["for a body with an additional byte", { body: `${body}\n`, headers: signed }]
  yield ["for a body with a changed byte", { body: body.replace(/[a-z]/, (c) => c.toUpperCase()), headers: signed }]
  yield ["without any header", { body, headers: {} }]
}
