/**
 * Why a signed message proves nothing, as the detail of `wallet_proof_refused` begins: the hosted page has a text for
 * each in every language.
 */
export type ProofProblem =
  /** Nothing is asked of this session any more, or the message is of another one. */
  | "session"
  /** No such request: it was used, or replaced by a newer one. */
  | "request"
  | "domain"
  | "wallet"
  | "early"
  | "late"
  /** Another text than the one that was asked for. */
  | "message"
  | "signature"
  /** The chain has no such transaction yet, or it failed. */
  | "transaction"
  /** The transaction on chain has no such memo that the wallet signed. */
  | "memo"
