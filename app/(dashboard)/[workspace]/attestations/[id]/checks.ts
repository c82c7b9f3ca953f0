import canonicalize from "canonicalize"
import type { OnChainState } from "#domain/attestations"

/** `open`: the record is not enough to answer this. */
export type Check = { name: string; result: "passed" | "failed" | "open"; detail: string | null }

/** Compares the chain with the record in the browser, so that the reader need not trust the server. */
export async function checksOf({ record, issuers, unit, account, transaction }: OnChainState): Promise<Check[]> {
  const { onchain } = record
  if (onchain === null) return []
  const memo = memoOf(record, onchain.commitment)
  return [
    check(
      "The issuing transaction is on chain and succeeded",
      transaction?.succeeded === true,
      transaction ? "It failed." : "Not found on chain.",
    ),
    check(
      "It was signed by your workspace's key",
      transaction?.signers.some((signer) => issuers.includes(signer)) === true,
      transaction && `Signed by ${transaction.signers.join(", ")}`,
    ),
    check(
      "Its memo names this attestation, its fingerprint and its expiry",
      transaction?.memos.includes(memo) === true,
      `Expected ${memo}`,
    ),
    await checkCommitment(record, onchain),
    check(
      "The token account belongs to the wallet and holds this credential",
      account?.owner === record.user_pubkey && account.mint === onchain.mint,
      account ? `Its owner is ${account.owner}, and its mint is ${account.mint}` : "There is no such account.",
    ),
    checkUnit(record, unit, account?.amount ?? "0"),
    check(
      "The account is frozen",
      account === null || account.frozen,
      "Its holder can move or destroy the credential.",
    ),
  ]
}

const check = (name: string, passed: boolean, detail: string | null = null): Check =>
  passed ? { name, result: "passed", detail: null } : { name, result: "failed", detail }

type Committed = OnChainState["record"]
type Onchain = NonNullable<Committed["onchain"]>

const memoOf = ({ attestation_id, expires_at }: Committed, commitment: string): string =>
  `vouch:1:${attestation_id}:${commitment}:${Math.floor(Date.parse(expires_at ?? "") / 1000)}`

async function checkCommitment(record: Committed, { salt, commitment }: Onchain): Promise<Check> {
  const name = "The fingerprint matches the record (computed in your browser)"
  if (salt === null) return { name, result: "open", detail: "The salt was erased." }
  // Browsers offer it only in secure contexts.
  if (!globalThis.crypto?.subtle)
    return { name, result: "open", detail: "Your browser can compute it over HTTPS only." }
  const { attestation_id, schema, user_pubkey, issued_at, expires_at } = record
  const text = canonicalize({ attestation_id, schema, user_pubkey, issued_at, expires_at, salt })
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  const computed = toBase64url(new Uint8Array(digest))
  return computed === commitment
    ? { name, result: "passed", detail: computed }
    : { name, result: "failed", detail: `Computed ${computed}` }
}

const toBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")

/** The wallet's account must hold what the ledger says: this credential, a later attestation's, or none. */
function checkUnit({ status }: Committed, unit: OnChainState["unit"], amount: string): Check {
  const expect = (name: string, expected: string) => check(name, amount === expected, `It holds ${amount}.`)
  switch (unit) {
    case "this":
      return expect("The account holds exactly one credential", "1")
    case "another":
      return expect("The account holds the credential of a later attestation", "1")
    case "none":
      return expect("The credential is destroyed: the account holds none", "0")
    case "changing":
      return {
        name: status === "verified" ? "The credential is about to change" : "The credential is being removed",
        result: "open",
        detail: "Verify again in a moment.",
      }
  }
}
