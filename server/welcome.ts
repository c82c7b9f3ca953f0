import type { FirstKeys } from "./accounts/first-start.ts"

/** The last lines of the start, for a person. The keys are shown here once, and nowhere else. */
export function welcome({ origin, firstKeys }: { origin: string; firstKeys: FirstKeys | null }): void {
  const api = `${origin}/v1`
  const key = firstKeys?.test ?? "$VOUCH_KEY"
  const lines = [
    "",
    "Vouch is ready.",
    "",
    `  Dashboard   ${origin}`,
    `  API         ${api}`,
    ...(firstKeys
      ? [
          "",
          `  Live key    ${firstKeys.live}`,
          `  Test key    ${firstKeys.test}`,
          "",
          "  The keys are shown this once: keep them.",
        ]
      : []),
    "",
    firstKeys
      ? "Start a verification:"
      : "Start a verification (VOUCH_KEY is your key; npm run vouch -- key create makes one):",
    "",
    `  curl -s ${api}/kyc/start -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"userPubkey":"7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU","schemaId":"kyc_individual_v1"}'`,
    "",
  ]
  process.stdout.write(`${lines.join("\n")}\n`)
}
