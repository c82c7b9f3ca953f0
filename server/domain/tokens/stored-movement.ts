import type { Address } from "#shared/address.ts"
import type { Between, MovementKind, ReasonCode } from "#shared/movements.ts"
import type { StoredLot } from "./lots/mint-lot.ts"
import type { ForcedBy } from "./operations/forced.ts"

/** The body of a movement's request, as an approval stores it. */
export type StoredMovement = {
  mint_config: string
  amount: string
  user_pubkey?: undefined | Address
  from_pubkey?: undefined | Address
  to_pubkey?: undefined | Address
  reason_code?: undefined | ReasonCode
  reference?: undefined | string
  document_sha256?: undefined | string
  holder_consent?: undefined | boolean
  holds?: undefined | string[]
  /** The hold that it executes. */
  hold_id?: undefined | string
  while_paused?: undefined | true
  lot?: undefined | StoredLot
}

/** A movement as its request names it. */
export type Wanted = {
  config: string
  movement: Between<Address>
  forced: ForcedBy | null
  /** Holds that a forced act takes from first, in this order. */
  holds?: readonly string[] | undefined
  /** The hold that it executes: it takes from this one only. */
  executes?: string | undefined
  /** The recovery for which it moves a lost wallet's tokens. */
  recovery?: string | undefined
  /** The payout of a distribution that a mint pays, which its own policy has bound. */
  payout?: string | undefined
  /** Whether a forced act is meant to happen while the token is paused. */
  whilePaused?: boolean | undefined
  /** What to record about the units of a mint. */
  lot?: StoredLot | undefined
  /** Whole tokens, as the caller wrote them. */
  amount: string
}

export function storedMovement({
  config,
  movement,
  amount,
  forced,
  holds,
  executes,
  whilePaused,
  lot,
}: Wanted): StoredMovement {
  const { kind, from, to } = movement
  const { holder_consent, ...grounds } = forced ?? {}
  return {
    mint_config: config,
    amount,
    ...(kind === "mint" && { user_pubkey: to }),
    ...(kind === "burn" && { user_pubkey: from, holder_consent }),
    ...(from !== null && to !== null && { from_pubkey: from, to_pubkey: to }),
    ...grounds,
    ...(executes !== undefined ? { hold_id: executes } : holds && { holds: [...holds] }),
    ...(whilePaused && { while_paused: true }),
    ...(lot && { lot }),
  }
}

/** The movement that an approved request is about. */
export function wantedMovement(kind: MovementKind, request: Record<string, unknown>): Wanted {
  const stored = request as StoredMovement
  const { mint_config: config, amount, user_pubkey, from_pubkey, to_pubkey } = stored
  const { reason_code, reference, document_sha256, holder_consent = false } = stored
  const ends = {
    mint: { from: null, to: user_pubkey },
    burn: { from: user_pubkey, to: null },
    transfer: { from: from_pubkey, to: to_pubkey },
    force_transfer: { from: from_pubkey, to: to_pubkey },
  }[kind]
  const forced: ForcedBy | null =
    reason_code === undefined || reference === undefined
      ? null
      : { reason_code, reference, holder_consent, ...(document_sha256 && { document_sha256 }) }
  const { hold_id: executes, holds = executes === undefined ? undefined : [executes] } = stored
  const whilePaused = stored.while_paused ?? false
  const movement = { kind, ...ends } as Between<Address>
  return { config, amount, forced, holds, executes, whilePaused, movement, lot: stored.lot }
}
