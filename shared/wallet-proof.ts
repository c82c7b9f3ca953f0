/** Why a signed message proves no wallet. Begins the detail of `wallet_proof_refused`; each has a text on the page. */
export type ProofProblem =
  /** The session no longer needs a proof, or the message belongs to another session. */
  | "session"
  /** The request does not exist: it was used, or replaced by a newer one. */
  | "request"
  | "domain"
  | "wallet"
  | "early"
  | "late"
  /** The text differs from the requested one. */
  | "message"
  | "signature"
  /** The chain has no such transaction yet, or it failed. */
  | "transaction"
  /** The transaction on chain has no such memo signed by the wallet. */
  | "memo"
