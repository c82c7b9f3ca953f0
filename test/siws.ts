import type { TestApp } from "./app.ts"
import type { SigningWallet } from "./wallet.ts"

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
export type PageAnswer = { status: number; data: any; error: any }

/** A procedure of the hosted page, as the page calls it. */
export async function callPage(app: TestApp, name: string, input: object): Promise<PageAnswer> {
  const response = await fetch(`${app.origin}/api/trpc/verification.${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  })
  const json = await response.json()
  return { status: response.status, data: json.result?.data, error: json.error?.data }
}

/** What the wallet of a session does on the hosted page. */
export function walletOn(app: TestApp, sessionId: string) {
  const call = (name: string, input: object = {}) => callPage(app, name, { sessionId, ...input })
  const prove = (message: string | Uint8Array, signature: Uint8Array) =>
    call("proveWallet", {
      message: Buffer.from(message as Uint8Array).toString("base64"),
      signature: Buffer.from(signature).toString("base64"),
    })
  return {
    call,
    prove,
    /** What is to be signed. */
    ask: async (): Promise<string> => (await call("askForProof")).data.text,
    view: async () => (await call("view")).data,
    /** Asks, signs and sends, as a wallet whose owner agrees. */
    async sign(wallet: SigningWallet): Promise<PageAnswer> {
      const text = (await call("askForProof")).data.text
      return prove(text, wallet.sign(Buffer.from(text)))
    },
  }
}
