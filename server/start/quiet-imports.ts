// spl-token's bigint-buffer reports at import that it has no native build. Its JavaScript is all that is wanted here,
// and no machine without a compiler can do anything about it: the line would only worry who starts Vouch.
const { warn } = console
console.warn = (...parts: unknown[]) => {
  if (!String(parts[0]).startsWith("bigint: Failed to load bindings")) warn(...parts)
}
