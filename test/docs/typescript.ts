import { join } from "node:path"
import ts from "typescript"

const root = join(import.meta.dirname, "..", "..")

/** Names that documents use without declaring them. */
const around = `
import type { Vouch as VouchType, VouchError as VouchErrorType, MintTokensRequest, TransferTokensRequest, Event } from "@vouch/client"
import type { defineProvider as defineProviderType } from "#server/domain/providers/provider.ts"
import type { z as zType } from "zod"
declare global {
  const vouch: VouchType
  const VouchError: typeof VouchErrorType
  const defineProvider: typeof defineProviderType
  const z: typeof zType
  const wallet: string
  const mint: MintTokensRequest
  const transfer: TransferTokensRequest
  const order: { id: string }
  const lastCursor: string
  const signal: AbortSignal
  const handle: (event: Event) => Promise<void>
  const save: (cursor: string) => Promise<void>
  const connection: string
  const issuer: string
  const transaction: string
}
export {}
`

/** Replaces ellipses, which documents write for omitted code. */
const filled = (code: string) => code.replaceAll("…", "null as never")

/**
 * The compiler's errors for each piece of code, as if it were a file. In JavaScript, which declares no types, only
 * errors about the client's names and fields count.
 */
export function typeErrors(pieces: ReadonlyMap<string, string>, language: "ts" | "mjs"): Map<string, string[]> {
  const virtual = new Map([[join(root, "test/docs/around.virtual.ts"), around]])
  const fileOf = new Map<string, string>()
  for (const [index, [name, code]] of [...pieces].entries()) {
    const file = join(root, `test/docs/piece-${index}.virtual.${language}`)
    virtual.set(file, `${filled(code)}\nexport {}\n`)
    fileOf.set(name, file)
  }
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists, getSourceFile } = host
  host.readFile = (file) => virtual.get(file) ?? readFile(file)
  host.fileExists = (file) => virtual.has(file) || fileExists(file)
  host.getSourceFile = (file, ...rest) => {
    const own = virtual.get(file)
    return own === undefined ? getSourceFile(file, ...rest) : ts.createSourceFile(file, own, ts.ScriptTarget.ESNext)
  }
  const program = ts.createProgram(
    [...virtual.keys()],
    {
      ...options,
      incremental: false,
      noUnusedLocals: false,
      ...(language === "mjs" && {
        allowJs: true,
        checkJs: true,
        strict: false,
        exactOptionalPropertyTypes: false,
      }),
      paths: { "@vouch/client": [join(root, "client/src/index.ts")] },
    },
    host,
  )
  return new Map(
    [...fileOf].map(([name, file]) => {
      const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(file))
      return [name, found.map((one) => `${lineOf(one)}: ${ts.flattenDiagnosticMessageText(one.messageText, " ")}`)]
    }),
  )
}

const lineOf = ({ file, start = 0 }: ts.Diagnostic): string =>
  file ? `line ${file.getLineAndCharacterOfPosition(start).line + 1}` : "no line"
