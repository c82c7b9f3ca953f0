import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { Html } from "#server/lib/html.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

/** Splits the shared colors in two. Browsers in wallets are often too old for `light-dark()` and would show none. */
function tokens(css: string): string {
  const variables = css.match(/:root \{([^}]*)\}/)![1]!.replace(/\/\*.*?\*\/|color-scheme:[^;]*;|--chart[^;]*;/gs, "")
  const pick = (which: 0 | 1) =>
    variables.replace(/light-dark\(((?:[^()]|\([^()]*\))*)\)/g, (_, both: string) =>
      both.split(/,(?![^(]*\))/)[which]!.trim(),
    )
  return `:root{color-scheme:light dark;${pick(0)}}@media(prefers-color-scheme:dark){:root{${pick(1)}}}`
}

const squeeze = (css: string): string => css.replace(/\/\*.*?\*\//gs, "").replace(/\s+/g, " ")

/** Inlined, so that one response is enough to show and use the page. */
export const style = new Html(
  squeeze(
    tokens(read("../../../shared/tokens.css")) +
      ["frame", "content", "forms", "wallet"].map((name) => read(`./styles/${name}.css`)).join(""),
  ),
)

/** Removes the types. Node calls the function that it does this with experimental: hence the muted warning. */
function withoutTypes(code: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(code)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Removes doc comments, line comments on their own line, and indentation. */
const lean = (code: string): string =>
  code
    .replace(/^\s*\/\*\*[\s\S]*?\*\/$/gm, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/^\s+/gm, "")

/** All files share one scope, so the page loads no modules. A name declared in two files is a syntax error. */
const parts = ["dom", "fields", "wallet-apps", "wallets", "wallet-step", "page"]

const joined = ["../../../shared/time-format.ts", ...parts.map((name) => `./browser/${name}.ts`)]
  .map((path) => withoutTypes(read(path)))
  .join("\n")
  .replace(/^import [^"]*".*$/gm, "")
  .replace(/^export /gm, "")

export const script = new Html(`(()=>{"use strict";\n${lean(joined)}})()`)
