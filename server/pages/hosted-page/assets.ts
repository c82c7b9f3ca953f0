import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { Html } from "#server/lib/html.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

/**
 * The colours that all pages share, as two sets: browsers inside of wallets are often too old for `light-dark()`, and
 * would show none.
 */
function tokens(css: string): string {
  const variables = css.match(/:root \{([^}]*)\}/)![1]!.replace(/\/\*.*?\*\/|color-scheme:[^;]*;|--chart[^;]*;/gs, "")
  const pick = (which: 0 | 1) =>
    variables.replace(/light-dark\(((?:[^()]|\([^()]*\))*)\)/g, (_, both: string) =>
      both.split(/,(?![^(]*\))/)[which]!.trim(),
    )
  return `:root{color-scheme:light dark;${pick(0)}}@media(prefers-color-scheme:dark){:root{${pick(1)}}}`
}

const squeeze = (css: string): string => css.replace(/\/\*.*?\*\//gs, "").replace(/\s+/g, " ")

/** In the page itself: one answer brings all that it takes to be seen and used. */
export const style = new Html(
  squeeze(
    tokens(read("../../../shared/tokens.css")) +
      ["frame", "content", "forms", "wallet"].map((name) => read(`./styles/${name}.css`)).join(""),
  ),
)

/** Node runs this server's TypeScript by the same step; it calls that of its own function an experiment. */
function withoutTypes(code: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(code)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Comments that stand on lines of their own, and indentation. */
const lean = (code: string): string =>
  code
    .replace(/^\s*\/\*\*[\s\S]*?\*\/$/gm, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/^\s+/gm, "")

/** In one scope, so that nothing has to be fetched: names that two of them have are a syntax error. */
const parts = ["dom", "answers", "back", "fields", "wallet-apps", "wallets", "wallet-step", "page"]

const joined = ["../../../shared/time-format.ts", ...parts.map((name) => `./browser/${name}.ts`)]
  .map((path) => withoutTypes(read(path)))
  .join("\n")
  .replace(/^import [^"]*".*$/gm, "")
  .replace(/^export /gm, "")

export const script = new Html(`(()=>{"use strict";\n${lean(joined)}})()`)
