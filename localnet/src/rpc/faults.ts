import * as param from "./params.ts"
import { invalidParams } from "./rpc.ts"

/** Deliberate faults, each with a probability from 0 to 1. */
export type Faults = {
  /** The connection closes without a response, and the request is not carried out. */
  drop: number
  /** The response is `ms` milliseconds late. */
  delay: { p: number; ms: number }
  /** HTTP 429, and the request is not carried out. */
  tooManyRequests: number
  /** The request is carried out, and the connection closes without a response. */
  landWithoutAnswer: number
  /** History before this slot is missing, as on a node that was pruned or restored from a snapshot. */
  forgetBefore: number
}

export const noFaults: Faults = {
  drop: 0,
  delay: { p: 0, ms: 0 },
  tooManyRequests: 0,
  landWithoutAnswer: 0,
  forgetBefore: 0,
}

export function parseFaults(given: unknown): Faults {
  const { drop, delay, too_many_requests, land_without_answer, forget_before } = param.config(given)
  const { p, ms } = param.config(delay)
  return {
    drop: probability(drop, "drop"),
    delay: { p: probability(p, "delay.p"), ms: param.optionalNumber(ms, "delay.ms") ?? 0 },
    tooManyRequests: probability(too_many_requests, "too_many_requests"),
    landWithoutAnswer: probability(land_without_answer, "land_without_answer"),
    forgetBefore: param.optionalNumber(forget_before, "forget_before") ?? 0,
  }
}

function probability(given: unknown, name: string): number {
  const value = given ?? 0
  if (typeof value !== "number" || !(value >= 0 && value <= 1))
    throw invalidParams(`Invalid params: ${name} must be a probability from 0 to 1`)
  return value
}

/** The faults of one request. */
export type Disruption = {
  drop: boolean
  tooManyRequests: boolean
  /** The request is carried out, and its response is lost. */
  loseResponse: boolean
  delayMs: number
}

export const noDisruption: Disruption = {
  drop: false,
  tooManyRequests: false,
  loseResponse: false,
  delayMs: 0,
}

/** Chooses the next request's faults at random, with these probabilities. */
export function disruptionOf(faults: Faults, random: () => number = Math.random): Disruption {
  return {
    drop: random() < faults.drop,
    tooManyRequests: random() < faults.tooManyRequests,
    loseResponse: random() < faults.landWithoutAnswer,
    delayMs: random() < faults.delay.p ? faults.delay.ms : 0,
  }
}
