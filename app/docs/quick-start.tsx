import { CodeBlock } from "#app/components/code.tsx"
import { Card } from "#app/components/frame.tsx"
import { ShellVariables } from "./shell-variables.tsx"

const WALLET = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const JSON_TYPE = '-H "Content-Type: application/json"'

/** The first three requests. They run unchanged in a shell that has the two variables. */
const requests = [
  {
    title: "Start a verification",
    code: `curl -s $VOUCH/kyc/start -H "Authorization: Bearer $KEY" ${JSON_TYPE} \\
  -d '{"userPubkey":"${WALLET}","schemaId":"kyc_individual_v1"}'`,
    note: "Send the investor to the session_url in the answer.",
  },
  {
    title: "Get the wallet's status",
    code: `curl -s $VOUCH/kyc/status/${WALLET} -H "Authorization: Bearer $KEY"`,
    note: "The status is verified once the credential is confirmed on chain.",
  },
  {
    title: "Mint to the wallet",
    code: `curl -s $VOUCH/token/mint -H "Authorization: Bearer $KEY" ${JSON_TYPE} \\
  -H "Idempotency-Key: first-mint" \\
  -d '{"user_pubkey":"${WALLET}","mint_config":"us_real_estate_fund_v1","amount":"100"}'`,
    note: "The Idempotency-Key makes it safe to retry. Responses are kept for 24 hours, refusals too: to try again after one, change the key.",
  },
]

/** The first requests, with this server's own address. */
export const QuickStart = () => (
  <Card title="Quick start" description="You need an API key: create one in the dashboard under API keys.">
    <div className="space-y-6">
      <ShellVariables />
      {requests.map(({ title, code, note }, index) => (
        <section key={title} aria-label={title} className="space-y-2 text-sm">
          <h3 className="font-medium">
            {index + 1}. {title}
          </h3>
          <CodeBlock label={`${title} (curl)`} code={code} />
          <p className="text-muted">{note}</p>
        </section>
      ))}
    </div>
  </Card>
)
