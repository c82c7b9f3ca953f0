import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { credentialAccounts } from "#server/domain/attestations/credential-accounts.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import type { Address } from "#shared/address.ts"
import type { TestApp, TestKey } from "../fixtures/app.ts"

/** The balance of a wallet's credential account, read with plain spl-token; 0 without an account. */
export async function credentialOf(app: TestApp, key: TestKey, wallet: Address, schemaId = "kyc_individual_v1") {
  const { mint, account } = credentialAccounts(key.workspaceId, schemaId, wallet)
  const address = new PublicKey(account)
  const info = await app.connection.getAccountInfo(address, "confirmed")
  const token = info && unpackAccount(address, info, TOKEN_2022_PROGRAM_ID)
  return {
    mint: new PublicKey(mint),
    account: address,
    amount: Number(token?.amount ?? 0n),
    frozen: token?.isFrozen ?? true,
  }
}

/** The differences that a full reconciliation finds. */
export const differences = async () => (await auditLedger({ account: null, progress: () => {} })).differences
