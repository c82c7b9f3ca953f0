import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { expect, test } from "vitest"

const source = join(import.meta.dirname, "..", "..", "client", "src", "index.ts")

/** Bundles a program that imports these names from the client. */
async function bundle(names: string): Promise<{ code: string; gzip: number; imports: number }> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { ${names} } from ${JSON.stringify(source)}`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    write: false,
    metafile: true,
  })
  const { contents, text } = outputFiles[0]!
  const [output] = Object.values(metafile.outputs)
  return { code: text, gzip: gzipSync(contents, { level: 9 }).length, imports: output!.imports.length }
}

test("the client is at most 15 kB compressed and imports nothing, so that it runs in Workers and browsers", async () => {
  const { code, gzip, imports } = await bundle("Vouch, VouchError, WebhookError, unwrapEvent, verifyOnChain")
  expect(gzip).toBeLessThan(15_000)
  expect(imports).toBe(0)
  expect(/\b(process|Buffer|__dirname)\b/.exec(code)?.[0]).toBeUndefined()
})

test("a program that only receives events or only reads the chain does not include the rest", async () => {
  expect((await bundle("unwrapEvent")).gzip).toBeLessThan(2_000)
  expect((await bundle("verifyOnChain")).gzip).toBeLessThan(5_000)
})
