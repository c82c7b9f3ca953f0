type Known = { knows(path: string): boolean }

const MOST_SHOWN = 100

/** Why no endpoint has this path below /v1, and which path the caller may have meant. */
export function explainUnknownPath(path: string, api: Known): string {
  if (path.length > MOST_SHOWN) return "Endpoint not found. Compare the path with the API reference."
  const meant = suggestedPath(path, api)
  const advice = meant === null ? "Compare the path with the API reference." : `Call /v1${printable(meant)}.`
  return `Endpoint not found: /v1${printable(path)}. ${advice}`
}

/** The path below /v1 that was meant, without a second /v1, extra slashes and capitals. Null if there is none. */
export function suggestedPath(path: string, api: Known): string | null {
  if (path.length > MOST_SHOWN) return null
  const plain = path
    .replace(/\/{2,}/g, "/")
    .replace(/^(?:\/v1(?=\/))+/i, "")
    .replace(/(?<=.)\/$/, "")
  return [plain, lowered(plain)].find((one) => api.knows(one)) ?? null
}

/** In lower case, except for ids and addresses, which have capitals. */
const lowered = (path: string): string =>
  path
    .split("/")
    .map((part) => (/^[A-Za-z-]{1,30}$/.test(part) ? part.toLowerCase() : part))
    .join("/")

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?")
