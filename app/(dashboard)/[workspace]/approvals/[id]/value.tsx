import { Copyable } from "#app/components/code.tsx"

const WALLET = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** A value of a request that is shown as it was sent. */
export function Value({ of: value }: { of: unknown }) {
  if (typeof value === "boolean") return value ? "Yes" : "No"
  if (value === null) return "Any"
  if (Array.isArray(value)) return <span className="wrap-anywhere">{value.join(", ")}</span>
  if (typeof value === "object") return <code className="text-[13px] wrap-anywhere">{JSON.stringify(value)}</code>
  const text = String(value)
  return WALLET.test(text) ? (
    <Copyable value={text} what="address" compact />
  ) : (
    <span className="wrap-anywhere">{text}</span>
  )
}
