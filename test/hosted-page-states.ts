import type { Shown } from "#server/pages/hosted-page/states.ts"
import { publicReasons } from "#shared/public-reasons.ts"

const known = {
  company: "Acme",
  brand: { color: null, contact: null, logo: null },
  mode: "test",
  schema: { id: "kyc_individual_v1", name: "Individual identity", validityDays: 365 },
  provider: { label: "Example ID", flow: "redirect", testOnly: false },
  wallet: "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2",
  walletProof: "none",
  returnUrl: null,
}
const openUntil = "2026-03-04T05:06:07Z"
const asked = { again: null, provesOnChain: false, openUntil }
const sandbox = { label: "Built-in sandbox", flow: "form", testOnly: true }

/** Every state that the hosted page can be in, by a name. */
export const hostedPageStates = {
  open: { ...known, state: "open", ...asked, consented: false },
  form: { ...known, provider: sandbox, state: "open", ...asked, consented: false },
  beforeWallet: { ...known, walletProof: "needed", state: "open", ...asked, consented: false },
  wallet: { ...known, walletProof: "needed", state: "open", ...asked, consented: true },
  walletOnChain: {
    ...known,
    walletProof: "needed",
    state: "open",
    ...asked,
    consented: true,
    provesOnChain: true,
  },
  afterWallet: { ...known, walletProof: "given", state: "open", ...asked, consented: true },
  checkingAfterWallet: { ...known, walletProof: "given", state: "checking", inReview: false },
  ...Object.fromEntries(
    publicReasons.map((again) => [
      `again ${again}`,
      { ...known, state: "open", ...asked, again, consented: false },
    ]),
  ),
  handedOver: { ...known, state: "handed_over", openUntil },
  checking: { ...known, state: "checking", inReview: false },
  inReview: { ...known, state: "checking", inReview: true },
  verified: {
    ...{ ...known, state: "verified", onchainTx: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Cos", cluster: "devnet" },
    reminder: null,
    ...{ expiresAt: openUntil, returnUrl: "https://shop.example/?a=1&status=verified" },
  },
  reminder: {
    ...{ ...known, state: "verified", onchainTx: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Cos", cluster: "devnet" },
    ...{ expiresAt: openUntil, reminder: "offered" },
  },
  reminded: {
    ...{ ...known, state: "verified", onchainTx: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Cos", cluster: "devnet" },
    ...{ expiresAt: openUntil, reminder: "set" },
  },
  renewal: { ...known, state: "renewal", expiresAt: openUntil, isOver: false, isReminded: true },
  "renewal too late": { ...known, state: "renewal", expiresAt: openUntil, isOver: true, isReminded: false },
  ...Object.fromEntries(
    ["pending", "cancelled", "verified"].map((was) => [
      `rejected ${was}`,
      { ...known, state: "rejected", reason: "withdrawn", was },
    ]),
  ),
  ...Object.fromEntries(
    ["open", "verified", "superseded"].map((was) => [`expired ${was}`, { ...known, state: "expired", was }]),
  ),
  unknown: { state: "unknown" },
  failed: { state: "failed" },
} as unknown as Record<string, Shown>
