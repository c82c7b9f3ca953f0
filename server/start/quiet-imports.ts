// spl-token's bigint-buffer warns at import that it has no native build. Its JavaScript is enough, and a machine
// without a compiler could not change that, so the line would only worry operators.
const { warn } = console
console.warn = (...parts: unknown[]) => {
  if (!String(parts[0]).startsWith("bigint: Failed to load bindings")) warn(...parts)
}
