import { attest, createCredentialMint, moveCredentialAuthority, revoke } from "#domain/attestations"
import { anchorAuditLog } from "#domain/audit-anchors"
import { anchor } from "#domain/snapshots"
import { tokenOperations } from "#domain/tokens"
import { pay } from "#domain/treasury"
import { Operations } from "#server/ledger/index.ts"

/** Every kind of operation on chain. */
export const operations = new Operations([
  createCredentialMint,
  attest,
  revoke,
  moveCredentialAuthority,
  ...tokenOperations,
  pay,
  anchor,
  anchorAuditLog,
])
