// `npm run test:loaded`: `npm test` next to eight processes that use all processor time they can get. No test may fail.
// Options and files go to `npm test`. It runs on Node 20 with nothing installed, like setup.mjs.
import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"

const SPINNING = 8
/** A spinning process ends with its parent, or after this time. */
const LONGEST_MS = 2 * 60 * 60 * 1000
const SPIN = `
  const end = Date.now() + ${LONGEST_MS}
  while (process.ppid === ${process.pid} && Date.now() < end)
    for (const pause = Date.now() + 100; Date.now() < pause; );`

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
/** @param {string[]} args */
const test = (args) => spawnSync(process.execPath, args, { stdio: "inherit", cwd: root }).status ?? 1

// One-time builds and installations are not part of the test.
let status = test([join(root, "scripts", "setup.mjs"), "test"])
if (status === 0) {
  const spinning = Array.from({ length: SPINNING }, () => spawn(process.execPath, ["-e", SPIN], { stdio: "ignore" }))
  status = test([join(root, "scripts", "test.mjs"), ...process.argv.slice(2)])
  for (const one of spinning) one.kill()
}
process.exit(status)
