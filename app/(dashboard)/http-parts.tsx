// Parts of a request or a response, as pages about requests and webhooks show them.

export const Headers = ({ headers }: { headers: Record<string, string> }) => (
  <dl className="divide-y divide-line rounded-lg border border-line font-mono text-[13px]">
    {Object.entries(headers).map(([name, value]) => (
      <div key={name} className="grid gap-x-4 px-3 py-1.5 sm:grid-cols-[10rem_minmax(0,1fr)]">
        <dt className="text-muted">{name}</dt>
        <dd className="wrap-anywhere">{value}</dd>
      </div>
    ))}
  </dl>
)

/** JSON with line breaks. It is not parsed, because an amount must show every digit that was sent. */
export function pretty(body: string): string {
  if (!/^[[{]/.test(body)) return body
  let depth = 0
  return body.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (part, at: number) => {
    const line = (by: number) => {
      depth += by
      return `\n${"  ".repeat(depth)}`
    }
    if (part === "{" || part === "[") return /[}\]]/.test(body[at + 1]!) ? part : part + line(1)
    if (part === "}" || part === "]") return /[{[]/.test(body[at - 1]!) ? part : line(-1) + part
    if (part === ",") return part + line(0)
    return part === ":" ? ": " : part
  })
}
