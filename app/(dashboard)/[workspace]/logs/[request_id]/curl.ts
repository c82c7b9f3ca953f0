/** A logged request. Its path is below /v1. */
type Sent = { method: string; path: string; headers: Record<string, string>; request_body: string | null }

/** Headers that curl does not set itself, and that change what the request does. */
const SENT = ["content-type", "idempotency-key", "prefer"]

/**
 * A command that sends the request again. The key is a variable, because the log has none. What the log masks or does
 * not keep is named in a comment. An idempotency key is sent again: within a day, the answer is the first one.
 */
export function curlOf({ method, path, headers, request_body }: Sent, origin: string): string {
  const isBodyWhole =
    request_body === null || (/^[[{]/.test(request_body) && !/ … \(\d+ bytes in all\)$/.test(request_body))
  const url = `${origin}/v1${path}`
  const lines = [
    `curl ${method === "GET" ? "" : method === "HEAD" ? "--head " : `-X ${method} `}${/[[\]{}]/.test(url) ? "--globoff " : ""}${quoted(url)}`,
    `-H "Authorization: Bearer $VOUCH_API_KEY"`,
    ...SENT.flatMap((name) =>
      headers[name] === undefined ? [] : [`-H ${quoted(`${capitalised(name)}: ${headers[name]}`)}`],
    ),
    ...(request_body !== null && isBodyWhole ? [`--data-raw ${quoted(request_body)}`] : []),
  ]
  const command = lines.join(" \\\n  ")
  const missing = [
    ...(isBodyWhole ? [] : ["# The log did not keep the whole body: add it with --data-raw."]),
    ...(command.includes("[masked]") ? ["# Replace [masked] with what you sent."] : []),
  ]
  return [...missing, command].join("\n")
}

/** Quoted for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const capitalised = (name: string): string => name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())
