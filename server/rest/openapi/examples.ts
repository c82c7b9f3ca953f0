import { resolve } from "./schemas.ts"
import type { Schema } from "./types.ts"

const ofMint = { from_pubkey: undefined, to_pubkey: undefined }
const ofTransfer = { kind: "transfer", user_pubkey: undefined }
/** An operation whose transaction is not confirmed yet. */
const begun = { status: "submitted", onchain_tx: null, confirmed_at: null, finalized_at: null }

/** How the example of an answer differs from the example of its record, by operation and status. */
export const variations: Record<string, Record<string, unknown>> = {
  "revokeAttestation 200": {
    status: "rejected",
    revoked_at: "2026-03-04T05:06:07Z",
    revocation_reason: "Sanctions list match",
    public_reason: "not_eligible",
  },
  "cancelSession 200": { session_url: null, state: "cancelled", status: "rejected", expires_at: null },
  "mintTokens 200": { ...ofMint, finalized_at: null },
  "mintTokens 202": { ...ofMint, ...begun },
  "transferTokens 200": { ...ofTransfer, finalized_at: null },
  "transferTokens 202": { ...ofTransfer, ...begun },
  "getOperation 200": ofMint,
  "createMintConfig 202": { mint: null, supply: "0", holders: 0 },
  "createSnapshot 202": {
    ...{
      state: "scheduled",
      holders: null,
      supply: null,
      sha256: null,
      complete: null,
      anchor_tx: null,
      ready_at: null,
    },
  },
  "pauseMintConfig 200": { paused: true },
  "getHealth 503": {
    status: "degraded",
    checks: { database: "not reachable", chain: "unknown", worker: "unknown" },
    ledger: [],
  },
}

/** The example of an answer: its record's example, with the values of this operation and status. */
export function answerExample(
  schema: Schema,
  schemas: Record<string, Schema>,
  operationId: string,
  status: number,
): unknown {
  const example = sample(schema, schemas)
  const variation = variations[`${operationId} ${status}`]
  return variation ? { ...(example as object), ...variation } : example
}

/** Fields that the example of a request leaves out, by operation. */
const leftOut: Record<string, string[]> = {
  // So that the example is a transfer.
  preflightMovement: "user_pubkey reason_code reference document_sha256 holder_consent holds while_paused".split(" "),
  // So that the example pays a total in stablecoin, to everyone in the snapshot.
  createDistribution: ["decimals", "per_unit", "minimum", "exclude"],
  // So that the example also works for a token that is on chain.
  changeMintConfig: ["name", "symbol", "decimals"],
}

/** The example of a request's body. */
export function requestExample(
  schema: Schema,
  schemas: Record<string, Schema>,
  operationId: string,
): Record<string, unknown> {
  const without = leftOut[operationId] ?? []
  const fields = Object.entries(sample(schema, schemas) as object)
  return Object.fromEntries(fields.filter(([name]) => !without.includes(name)))
}

/** An example of a schema, made of its parts' examples. Undefined if a part has none, which a test detects. */
export function sample(reference: Schema, schemas: Record<string, Schema>): unknown {
  const schema = resolve(reference, schemas)
  if (schema.examples) return schema.examples[0]
  if ("const" in schema) return schema.const
  if ("default" in schema) return schema.default
  if (schema.enum) return schema.enum[0]
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return sample(first, schemas)
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => [name, sample(field, schemas)])
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
  }
  if (schema.items) return [sample(schema.items, schemas)]
  if (Array.isArray(schema.type) && schema.type.includes("null")) return null
  return undefined
}
