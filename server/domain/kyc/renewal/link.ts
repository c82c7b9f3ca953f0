import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { deployment } from "#domain/deployment"
import { isId } from "#server/lib/ids.ts"

const PREFIX = "renew_"
/** 128 bits: impossible to guess, and the address stays short. */
const MAC_BYTES = 16

const macBy = (dataKey: Buffer, attestationId: string): string =>
  createHmac("sha256", Buffer.from(hkdfSync("sha256", dataKey, "", "vouch renewal links", 32)))
    .update(attestationId)
    .digest()
    .subarray(0, MAC_BYTES)
    .toString("base64url")

/** The end of a renewal link's address. It names one attestation and can only renew it. */
export const renewalToken = (attestationId: string): string =>
  `${PREFIX}${attestationId.slice("att_".length)}_${macBy(deployment.dataKeys[0]!, attestationId)}`

export const renewalUrl = (attestationId: string): string =>
  `${deployment.origin}/verify/${renewalToken(attestationId)}`

/** The attestation of a link; null if Vouch did not issue the link. */
export function attestationOf(token: string): string | null {
  const [, id, mac] = /^renew_([1-9A-HJ-NP-Za-km-z]{16,22})_([\w-]{22})$/.exec(token) ?? []
  const attestationId = `att_${id}`
  if (id === undefined || mac === undefined || !isId("att", attestationId)) return null
  // Compare as text: the last base64 character has unused bits, so several texts decode to the same bytes.
  const given = Buffer.from(mac)
  const isOurs = deployment.dataKeys.some((key) => {
    const own = Buffer.from(macBy(key, attestationId))
    return given.length === own.length && timingSafeEqual(given, own)
  })
  return isOurs ? attestationId : null
}

/** Whether the hosted page's address is a renewal link's instead of a session's. */
export const isRenewal = (token: string): boolean => token.startsWith(PREFIX)
