import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"
import { hearNpm, withProgress } from "../../scripts/progress.mjs"

const screen = (isTTY: boolean) => {
  const written: string[] = []
  return {
    isTTY,
    columns: 60,
    write: (text: string) => void written.push(text),
    /** `⌫` marks where the moving line was erased. */
    text: () => written.join("").replaceAll("\r\u001b[K", "⌫"),
  }
}

/** A step that ends after the screen has shown its duration this many times. */
const until = (out: ReturnType<typeof screen>, words: RegExp) =>
  new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (!words.test(out.text())) return
      clearInterval(timer)
      resolve()
    }, 5)
  })

test("a slow step shows what it does, its duration, its progress and its end", async () => {
  const out = screen(false)
  const work = async ({ note }: { note(text: string): void }) => {
    await until(out, /^Fetching…\nFetching: \d+ s\n/)
    note("3 of 9 packages")
    await until(out, /Fetching: \d+ s, 3 of 9 packages\n/)
    return "here"
  }
  expect(await withProgress("Fetching", work, { out, everyMs: 10 })).toBe("here")
  expect(out.text()).toMatch(/Fetching: done in \d+ s\n$/)
  expect(out.text()).not.toContain("⌫")
})

test("on a terminal one line moves, and messages stay above it", async () => {
  const out = screen(true)
  const work = async ({ say }: { say(line: string): void }) => {
    await until(out, /⌫Building: \d+ s$/)
    say("a message")
    await until(out, /a message\n⌫Building: \d+ s$/)
  }
  await withProgress("Building", work, { out, everyMs: 10 })
  expect(out.text()).toMatch(/⌫a message\n/)
  expect(out.text()).toMatch(/⌫Building: done in \d+ s\n$/)
})

test("a failed step says so, and leaves the reason to the caller", async () => {
  const out = screen(false)
  const work = () => Promise.reject(new Error("no network"))
  await expect(withProgress("Fetching", work, { out })).rejects.toThrow("no network")
  expect(out.text()).toMatch(/^Fetching…\nFetching: failed after \d+ s\n$/)
})

test("npm's requests become a number of packages, and of its other output only errors are shown", () => {
  const said: string[] = []
  const noted: string[] = []
  const hear = hearNpm({ say: (line: string) => said.push(line), note: (text: string) => noted.push(text) }, 9)
  for (const line of [
    "npm http fetch GET 200 https://registry.example/a/-/a-1.0.0.tgz 12ms (cache miss)",
    "npm http cache https://registry.example/b/-/b-1.0.0.tgz 0ms (cache hit)",
    "npm http fetch GET 200 https://registry.example/a/-/a-1.0.0.tgz 12ms (cache miss)",
    "npm warn EBADENGINE Unsupported engine",
    "npm error code ENOTFOUND",
    "added 2 packages in 3s",
  ])
    hear(line)
  expect(noted.at(-1)).toBe("2 of about 9 packages")
  expect(said).toEqual(["npm error code ENOTFOUND"])
})

test("progress does not write to standard output", () => {
  const module = join(import.meta.dirname, "..", "..", "scripts", "progress.mjs")
  const program = `
    import { runProgram, withProgress } from ${JSON.stringify(module)}
    await withProgress("A slow step", ({ say }) =>
      runProgram(process.execPath, ["-e", "console.log('half way')"], { cwd: ".", hear: say }))`
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  })
  expect(stdout).toBe("")
  expect(stderr).toMatch(/^A slow step…\nhalf way\nA slow step: done in \d+ s\n$/)
})
