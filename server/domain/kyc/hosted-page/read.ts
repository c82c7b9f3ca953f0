import { askSoon } from "#server/domain/kyc/ask-providers.ts"
import { isRenewal } from "#server/domain/kyc/renewal/link.ts"
import { readRenewal } from "#server/domain/kyc/renewal/renew.ts"
import { clock } from "#server/lib/time.ts"
import { noteOpening } from "./note-opening.ts"
import { findSession, type SessionView, viewOf } from "./view.ts"

/**
 * What the hosted page shows now. `isBack`: the investor may have returned from the vendor, so ask it soon. `opens`: the
 * investor's browser asks for the page.
 */
export async function readView(sessionId: string, { isBack = false, opens = false } = {}): Promise<SessionView> {
  if (isRenewal(sessionId)) return readRenewal(sessionId)
  const row = await findSession(sessionId)
  const view = viewOf(row, clock.now())
  if (opens && row !== null && row.opened_at === null && view.state === "open") await noteOpening(row)
  if (isBack && row !== null && view.state === "handed_over") await askSoon(row)
  return view
}
