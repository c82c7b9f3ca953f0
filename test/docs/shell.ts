import { CommanderError } from "commander"
import { allCommands, vouchProgram } from "#server/start/cli/program.ts"

/** The forms in which documents call `vouch`. */
const CALL = /(?:^|[;&|(]\s*)(?:npm run --silent vouch -- |vouch )(.+)$/gm

type Runner = Parameters<typeof vouchProgram>[0]

/**
 * Parses every `vouch` command of a shell script like the command line, and runs it with `runner` if there is one.
 * Returns the errors.
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
      runAlone: async (...work) => {
        begun = true
        await runner?.runAlone(...work)
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

/** Splits a line into words like a shell. */
const words = (line: string): string[] =>
  [...line.replace(/\s+#.*$/, "").matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, one, two, three]) => one ?? two ?? three!,
  )
