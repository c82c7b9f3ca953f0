import type { Command } from "commander"
import { resealAll } from "#domain/data-keys"
import type { Run } from "./run.ts"

/** `vouch data-key …`: the key that seals secrets in the database. */
export function addDataKeyCommands(program: Command, run: Run): void {
  program
    .command("data-key")
    .description("the key that seals secrets and personal data in the database")
    .command("reseal")
    .description("seal everything with the first key of VOUCH_DATA_KEY; run it again if it was interrupted")
    .action(() =>
      run(async () => {
        const resealed = await resealAll((text) => console.error(text))
        // Rows that another process sealed with an old key while this ran.
        const late = await resealAll(() => {})
        const rest =
          late > 0
            ? ` ${late} of them were sealed with another key while it ran: run it again.`
            : " Nothing is sealed with another key."
        return {
          json: { resealed: resealed + late, done: late === 0 },
          text: `${resealed + late} values sealed with the new key.${rest}`,
        }
      }),
    )
}
