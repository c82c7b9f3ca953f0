import type { FirstStart } from "#domain/onboarding"

/** The last lines of the start, for the operator. Keys and link are shown only here, once. */
export function welcome({
  origin,
  shortages,
  keys,
  ownerLink,
  accountToName,
}: { origin: string; shortages: readonly string[] } & FirstStart): void {
  const api = `${origin}/v1`
  const key = keys?.test ?? "$VOUCH_KEY"
  const lines = [
    "",
    shortages.length === 0 ? "Vouch is ready." : "Vouch is running, but cannot issue anything yet:",
    ...shortages.map((shortage) => `  ${shortage}`),
    "",
    `  Dashboard   ${origin}`,
    `  API         ${api}`,
    ...(ownerLink
      ? ["", "  Open this link once to become the owner and sign in to the dashboard:", `  ${ownerLink}`]
      : []),
    ...(keys
      ? [
          "",
          `  Live key    ${keys.live}`,
          `  Test key    ${keys.test}`,
          "",
          "  Store the keys: they are shown only now.",
        ]
      : []),
    "",
    keys ? "Start a verification:" : "Start a verification. VOUCH_KEY is your test key; to create one:",
    ...(keys ? [] : ["", `  npm run --silent vouch -- key create --mode test${inShell(accountToName)}`]),
    "",
    `  curl -s ${api}/kyc/start -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"userPubkey":"7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU","schemaId":"kyc_individual_v1"}'`,
    "",
  ]
  process.stdout.write(`${lines.join("\n")}\n`)
}

const inShell = (account: string | null): string =>
  account === null ? "" : ` --account '${account.replaceAll("'", `'\\''`)}'`
