import { exampleClaims } from "#shared/claims.ts"

const claimed = Object.entries(exampleClaims)
  .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  .join(", ")

/** How a KYC provider reports: the exact bytes of the body are signed, by Standard Webhooks. */
export const webhookSample = (baseUrl: string) => `import { createHmac, randomUUID } from "node:crypto"

const secret = Buffer.from(process.env.VOUCH_WEBHOOK_SECRET.replace("whsec_", ""), "base64")
const id = \`evt_\${randomUUID()}\`
const timestamp = String(Math.floor(Date.now() / 1000))
const body = JSON.stringify({
  type: "verification.completed",
  data: {
    session_id: process.env.SESSION_ID,
    decision: "approved",
    occurred_at: \`\${new Date().toISOString().slice(0, 19)}Z\`,
    claims: { ${claimed} },
  },
})
const signature = createHmac("sha256", secret).update(\`\${id}.\${timestamp}.\${body}\`).digest("base64")

const response = await fetch("${baseUrl}/kyc/webhook", {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": \`v1,\${signature}\`,
  },
  body,
})
console.log(response.status, await response.json())`
