import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Deployment } from "./deployment.ts"
import { FUND } from "./issuer.ts"

const OPEN_FUND = "open_fund"

/** The token that every workspace starts with, and one that a workload creates. */
export const FUNDS = [FUND, OPEN_FUND] as const

/** Creates the second token, or changes its transfer mode. Returns what the command wrote if it failed. */
export async function applyOpenFund(deployment: Deployment, transfer_mode: "agent" | "holder"): Promise<string | null> {
  const config = { id: OPEN_FUND, name: "Open Fund", symbol: "OPEN", decimals: 6, required_schema: "kyc_individual_v1" }
  const file = join(deployment.dataDir, "open-fund.json")
  writeFileSync(file, JSON.stringify({ ...config, transfer_mode, rules: {} }))
  const where = ["--account", "chaos", "--mode", "test"]
  const { exitCode, stderr } = await deployment.command(["mint-config", "apply", file, ...where])
  return exitCode === 0 ? null : stderr
}
