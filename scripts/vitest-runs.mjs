import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

/** If more files than this fail, it is not by chance. */
const MOST_SECOND_ATTEMPTS = 5

/**
 * Runs Vitest and, if wanted, the failed tests once more. Returns the exit status and the tests that passed only at the
 * second attempt.
 * @param {{ root: string, args: string[], hasSecondAttempt: boolean, run: (program: string, args: string[]) => number }} options
 * @returns {{ status: number, passedLate: string[] }}
 */
export function runVitest({ root, args, hasSecondAttempt, run }) {
  if (!hasSecondAttempt) return { status: run("vitest", ["run", ...args]), passedLate: [] }
  const folder = mkdtempSync(join(tmpdir(), "vouch-tests-"))
  try {
    const report = join(folder, "report.json")
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
    const status = run("vitest", ["run", ...args, ...reporters])
    if (status === 0) return { status, passedLate: [] }
    const failures = failuresIn(root, report)
    const files = [...new Set(failures.map(({ file }) => file))]
    if (files.length === 0 || files.length > MOST_SECOND_ATTEMPTS) return { status, passedLate: [] }
    console.log(`\nA second attempt, of ${files.join(", ")}\n`)
    const second = run("vitest", ["run", ...args, "--no-file-parallelism", ...files])
    return {
      status: second,
      passedLate: second === 0 ? failures.map(({ file, name }) => `${file} > ${name}`) : [],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the failed tests: file, relative to the root, and name. Empty if an error outside all tests failed the run,
 * or if it ended before it could report.
 * @param {string} root
 * @param {string} report
 * @returns {{ file: string, name: string }[]}
 */
function failuresIn(root, report) {
  /** @typedef {{ status: string, fullName: string }} Test */
  /** @type {{ testResults: { name: string, status: string, assertionResults: Test[] }[] }} */
  let read
  try {
    read = JSON.parse(readFileSync(report, "utf8"))
  } catch {
    return []
  }
  return read.testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === "failed")
      const names = tests.length > 0 ? tests.map(({ fullName }) => fullName) : ["(the whole file)"]
      return names.map((test) => ({ file: relative(root, name), name: test }))
    })
}
