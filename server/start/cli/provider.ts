import type { Command } from "commander"
import { checkProviders, type ProviderCheck } from "#domain/kyc"
import type { Mode } from "#shared/mode.ts"
import { modeOption } from "./arguments.ts"
import type { Run } from "./run.ts"

/** `vouch provider …`: KYC providers. */
export function addProviderCommands(program: Command, run: Run): void {
  const provider = program.command("provider").description("KYC providers")

  provider
    .command("check")
    .description(
      "try the credentials of every configured KYC provider, and show what to enter at the vendor; exits 1 if one fails",
    )
    .addOption(modeOption())
    .action(({ mode }: { mode?: Mode }) =>
      run(async () => {
        const checks = await checkProviders(mode ?? null)
        return {
          json: { ok: checks.every(({ ok }) => ok !== false), providers: checks },
          text: checks.map(textOf).join("\n\n") || NO_PROVIDER,
          exitCode: checks.some(({ ok }) => ok === false) ? 1 : 0,
        }
      }),
    )
}

const NO_PROVIDER = "No KYC provider is configured. Choose one with VOUCH_LIVE_PROVIDER: see docs/providers/README.md."

function textOf({ mode, provider, label, verifies, ok, problem, note, setup }: ProviderCheck): string {
  const schemas = verifies.map((one) => (one === "all" ? "every schema without its own provider" : one)).join(", ")
  const lines = [
    `${mode}: ${label} (${provider})`,
    `  ${problem ?? (ok === null ? "built in" : "ok: its API accepts the credentials")}`,
    ...(note === null ? [] : [`  note: ${note}`]),
    `  verifies ${schemas || "no new sessions; it only finishes those it began"}`,
    ...(setup.length === 0 ? [] : [`  enter at ${label}:`]),
    ...setup.flatMap(({ where, enter }) => [`    ${where}`, `      ${enter}`]),
  ]
  return lines.join("\n")
}
