import type { ServerResponse } from "node:http"
import { z } from "zod"
import { type Principal, requireScope } from "#domain/requests"
import { sendCsv } from "#server/lib/csv.ts"
import { momentIn, type RegisterPage, readRegisterAt, registerMoment } from "./register-at.ts"

export const registerAtQuery = z.object({ mint_config: z.string().min(1).max(100), at: registerMoment.optional() })

const BATCH = 1000

const fileColumns = [
  "user_pubkey",
  "investor_id",
  "external_id",
  "balance",
  "percent",
  "available",
  "held",
  "as_of",
  "complete",
] as const

/**
 * Sends the register of a token at a moment as CSV, by address. Errors, before the first byte: insufficient_scope, and
 * those of `readRegisterAt`.
 */
export async function exportRegister(
  principal: Principal,
  { mint_config: mintConfig, at }: z.infer<typeof registerAtQuery>,
  response: ServerResponse,
  principalNow: () => Promise<Principal>,
): Promise<void> {
  requireScope(principal, "token:read")
  const ask = (cursor: string | null) =>
    readRegisterAt(principal, {
      ...{ mintConfig, at: at === undefined ? null : momentIn(at), group: "wallet", investor: null },
      ...{ limit: BATCH, cursor },
    })
  let page: RegisterPage | null = null
  const readAfter = async () => {
    if (page !== null && page.next_cursor === null) return []
    page = await ask(page?.next_cursor ?? null)
    const { as_of, complete } = page
    return page.data.map((row) => ({ ...row, as_of: as_of.time, complete: String(complete) }))
  }
  await sendCsv(response, {
    filename: `register-${mintConfig}${at === undefined ? "" : `-${at.replaceAll(":", "")}`}.csv`,
    rows: null,
    columns: fileColumns,
    requireAccess: async () => requireScope(await principalNow(), "token:read"),
    toLine: (row) => row as Record<(typeof fileColumns)[number], string | null>,
    readAfter,
  })
}
