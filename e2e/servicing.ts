import { createHash, randomBytes } from "node:crypto"
import type { Locator, Page } from "@playwright/test"
import type { Customer } from "./dashboard.ts"

const fresh = () => randomBytes(3).toString("hex")

export const order = { name: "court-order.pdf", mimeType: "application/pdf", buffer: Buffer.from("The court orders …") }
export const orderHash = createHash("sha256").update(order.buffer).digest("base64url")

export type Held = { id: string; wallet: string; attestationId: string; investor: string }

/** A token that a new, verified wallet of a named investor holds. */
export async function held({ api }: Customer, amount: string, more: object = {}): Promise<Held> {
  const id = `fund_${fresh()}`
  const config = { id, name: `Fund ${id}`, symbol: "FND", decimals: 2, required_schema: "kyc_individual_v1", ...more }
  await api.call("POST", "/mint-configs", config)
  const { wallet, id: attestationId } = await api.verifiedWallet()
  await api.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: id, amount })
  const { data } = await api.call("GET", `/investors?wallet=${wallet}`)
  return { id, wallet, attestationId, investor: data[0].investor_id }
}

export const row = (page: Page, wallet: string) => page.getByRole("row").filter({ hasText: wallet })

export async function open(
  page: Page,
  within: Locator,
  action: "Lots" | "Redeem" | "Force transfer" | "Freeze" | "Unfreeze" | "Hold",
): Promise<Locator> {
  await within.getByRole("button", { name: /^Actions for FND of/ }).click()
  await page.getByRole("menuitem", { name: action, exact: true }).click()
  return page.getByRole("dialog")
}

export const rules = (sheet: Locator) => sheet.getByRole("region", { name: "Rules check" })

type Grounds = { reason: string; reference: string; wallet: string }

export async function justify(sheet: Locator, { reason, reference, wallet }: Grounds) {
  await sheet.getByLabel("Reason").selectOption(reason)
  await sheet.getByLabel("Reference").fill(reference)
  await sheet.getByLabel(/^Type/).fill(wallet.slice(-4))
}

export const balances = (sheet: Locator) => sheet.getByRole("table", { name: "Balances in FND" }).getByRole("row")
