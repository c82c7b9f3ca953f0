import { Argument, type Command, InvalidArgumentError, Option } from "commander"
import { decideTestSession } from "#domain/kyc"
import { countryOf } from "#domain/providers"
import { fundTestTreasury } from "#domain/treasury"
import { type PublicReason, publicReasons } from "#shared/public-reasons.ts"
import { allScopes } from "#shared/scopes.ts"
import { type Decision, decisions } from "#shared/statuses.ts"
import { nonEmpty } from "./arguments.ts"
import { chosenAccount } from "./chosen-account.ts"
import type { Run } from "./run.ts"

type Options = { account?: string; country?: string; over18?: true; accredited?: true; publicReason?: PublicReason }

/** `vouch test …`: for tests without a browser. */
export function addTestCommands(program: Command, run: Run): void {
  const test = program.command("test").description("help for tests; test mode only")

  test
    .command("decide")
    .description("decide a sandbox session, like its form does; test mode only")
    .argument("<session_id>", "the session's id, sess_…")
    .addArgument(new Argument("<decision>", "what the sandbox decides").choices(decisions))
    .option("--account <name>", "the account's name; not needed if there is only one", nonEmpty)
    .option("--country <code>", "the country claim, such as US", countryCode)
    .option("--over-18", "claim that the person is over 18")
    .option("--accredited", "claim that the person is an accredited investor")
    .addOption(new Option("--public-reason <code>", "the reason shown to the investor").choices(publicReasons))
    .action((sessionId: string, decision: Decision, options: Options) =>
      run(async () => {
        const { workspaces } = await chosenAccount(options.account)
        const session = await decideTestSession({
          principal: {
            workspaceId: workspaces.test,
            mode: "test",
            scopes: new Set(allScopes),
            via: { kind: "operator" },
          },
          requestId: null,
          idempotency: null,
          sessionId,
          decision: {
            decision,
            claims: { country: options.country, age_over_18: options.over18, accredited: options.accredited },
            publicReason: options.publicReason ?? null,
          },
        })
        return { json: session, text: `${session.user_pubkey}: the session is ${session.state}.` }
      }),
    )

  test
    .command("fund-treasury")
    .description("put test dollars into the test workspace's treasury; embedded local network only")
    .option("--account <name>", "the account's name; not needed if there is only one", nonEmpty)
    .option("--amount <amount>", "how many", "1000000")
    .action(({ account, amount }: { account?: string; amount: string }) =>
      run(
        async () => {
          const { workspaces } = await chosenAccount(account)
          const funded = await fundTestTreasury(workspaces.test, amount)
          return { json: { ...funded, amount }, text: `${funded.treasury} got ${amount} test dollars.` }
        },
        { needsChain: true },
      ),
    )
}

function countryCode(value: string): string {
  const country = countryOf(value)
  if (country === undefined) throw new InvalidArgumentError("Use a country code such as US.")
  return country
}
