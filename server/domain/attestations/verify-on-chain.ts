import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { sql } from "#db/client.ts"
import { chainOf } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { issuedBy } from "#server/ledger/index.ts"
import { decodeInstructions } from "#server/solana/decode.ts"
import { fail } from "#shared/errors.ts"
import { readUnit } from "./credential-state.ts"
import { readAttestation } from "./read.ts"
import { toRecord } from "./record.ts"

/**
 * Reads an attestation's credential from the chain. Errors: attestation_not_found, validation_failed while it is not on
 * chain, chain_not_configured, chain_unavailable.
 */
export async function verifyOnChain(principal: Principal, id: string) {
  const row = await readAttestation(principal, id)
  const record = toRecord(row, principal)
  const { onchain, onchain_tx } = record
  const rpc = chainOf(principal.mode).rpc.patient
  if (onchain === null || onchain_tx === null) {
    return fail("validation_failed", "id: this attestation is not on chain yet. Wait until it is verified.")
  }
  const before = await readUnit(row)
  const address = new PublicKey(onchain.token_account)
  const [info, transaction] = await Promise.all([
    rpc.account(address, { since: 0 }).then(({ value }) => value),
    rpc.transaction(onchain_tx),
  ]).catch((cause) => fail("chain_unavailable", "The chain is unreachable. Retry in a moment.", { cause }))
  const isToken = info?.owner.equals(TOKEN_2022_PROGRAM_ID) ?? false
  const account = info && isToken ? unpackAccount(address, info, TOKEN_2022_PROGRAM_ID) : null
  const message = transaction?.transaction.message
  return {
    record,
    /** Every key that issues for the workspace, or once did. */
    issuers: (await issuedBy(sql, principal.workspaceId)) as string[],
    /** Whose unit is in the wallet's account, according to the ledger. */
    unit: before === (await readUnit(row)) ? before : ("changing" as const),
    /** The wallet's account for the credential; null if there is none. */
    account: account && {
      owner: account.owner.toBase58(),
      mint: account.mint.toBase58(),
      amount: account.amount.toString(),
      frozen: account.isFrozen,
      program: TOKEN_2022_PROGRAM_ID.toBase58(),
    },
    /** The issuing transaction; null if the chain does not know it. */
    transaction:
      transaction && message
        ? {
            slot: transaction.slot,
            succeeded: transaction.meta?.err === null,
            signers: message.staticAccountKeys
              .slice(0, message.header.numRequiredSignatures)
              .map((key) => key.toBase58()),
            memos: decodeInstructions(message).flatMap(({ memo }) => memo ?? []),
          }
        : null,
  }
}

/** What the chain says now, for comparison with the record. */
export type OnChainState = Awaited<ReturnType<typeof verifyOnChain>>
