/** The kinds of operation that move tokens, in the order in which screens list them. */
export const movementKinds = ["mint", "transfer", "burn", "force_transfer"] as const
export type MovementKind = (typeof movementKinds)[number]

export const isMovementKind = (kind: string): kind is MovementKind =>
  (movementKinds as readonly string[]).includes(kind)

/** The kinds of operation that `GET /token/operations` lists: also those that move tokens within a wallet. */
export const operationKinds = [...movementKinds, "hold", "release"] as const
export type OperationKind = (typeof operationKinds)[number]

type Ends<W> = {
  mint: { from: null; to: W }
  transfer: { from: W; to: W }
  burn: { from: W; to: null }
  force_transfer: { from: W; to: W }
}

/** A kind of movement, with what is known about the wallets that it takes from and gives to. */
export type Between<W, Kind extends MovementKind = MovementKind> = {
  [K in Kind]: { kind: K } & Ends<W>[K]
}[Kind]

/** Whether it takes tokens whatever the rules say about their holder. */
export const isForced = (kind: OperationKind): boolean => kind === "burn" || kind === "force_transfer"

/** The wallets of a movement, the one that it takes from first. */
export const endsOf = <W>({ from, to }: Between<W>): W[] => [
  ...(from === null ? [] : [from]),
  ...(to === null ? [] : [to]),
]

/** The same movement, with something else about its wallets. */
export const withEnds = <W, X>(movement: Between<W>, about: (end: W) => X): Between<X> => {
  const { kind, from, to } = movement
  // The kind decides which ends there are, and that stays.
  return { kind, from: from === null ? null : about(from), to: to === null ? null : about(to) } as Between<X>
}

/** Why tokens are taken out of a wallet or held in it, or it is frozen, with the names on screens. */
export const reasonNames = {
  redemption: "Redemption",
  buyback: "Buyback",
  court_order: "Court order",
  sanctions: "Sanctions",
  regulator: "Order of a regulator",
  lost_wallet: "Lost wallet",
  compromised: "Key known to another person",
  estate: "Estate of a deceased holder",
  error_correction: "Correction of an error",
  tax: "Tax",
  dividend: "Dividend",
  other: "Other reason",
} as const satisfies Record<string, string>
export type ReasonCode = keyof typeof reasonNames
export const reasonCodes = Object.keys(reasonNames) as [ReasonCode, ...ReasonCode[]]
export const isReasonCode = (value: unknown): value is ReasonCode =>
  typeof value === "string" && Object.hasOwn(reasonNames, value)
