import { CommanderError } from "commander"
import { allCommands, vouchProgram } from "#server/start/cli/program.ts"

/** `vouch …`, however a document calls it. */
const CALL = /(?:^|[;&|(]\s*)(?:npm run --silent vouch -- |vouch )(.+)$/gm

type Runner = Parameters<typeof vouchProgram>[0]

/**
 * Reads every `vouch` command of a shell script as the command line does, and does it by `runner`; without one it is
 * only read. Returns what is wrong.
 */
export async function tryCommands(script: string, runner?: Runner): Promise<string[]> {
  const wrong: string[] = []
  const joined = script.replaceAll("\\\n", " ")
  for (const [, call] of joined.matchAll(CALL)) {
    const args = words(call!)
    let begun = false
    const program = vouchProgram({
      run: async (...work) => {
        begun = true
        await runner?.run(...work)
      },
      runWithDatabase: async (...work) => {
        begun = true
        await runner?.runWithDatabase(...work)
      },
    })
    for (const command of allCommands(program)) {
      command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
    }
    try {
      await program.parseAsync(args, { from: "user" })
      if (!begun) wrong.push(`${call}: does nothing`)
    } catch (error) {
      const asksForHelp = error instanceof CommanderError && error.exitCode === 0
      if (!asksForHelp) wrong.push(`${call}: ${error}`)
    }
  }
  return wrong
}

/** A line's words, as a shell takes them apart. */
const words = (line: string): string[] =>
  [...line.replace(/\s+#.*$/, "").matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, one, two, three]) => one ?? two ?? three!,
  )
