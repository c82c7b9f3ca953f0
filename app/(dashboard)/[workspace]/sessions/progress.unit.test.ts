import { expect, test } from "vitest"
import { lastStepOf, type Session, waitOf } from "./progress.ts"

const at = (minute: number) => `2026-03-01T10:0${minute}:00Z`

const fresh: Session = {
  attestation_id: "att_1",
  session_id: "sess_1",
  session_url: "https://vouch.example/verify/sess_1",
  user_pubkey: "wallet" as Session["user_pubkey"],
  schema: "kyc_individual_v1",
  investor_id: "inv_1",
  external_id: null,
  status: "pending",
  state: "open",
  started_at: at(0),
  flow: "redirect",
  provider: "Onfido",
  opened_at: null,
  consented_at: null,
  wallet_proved_at: null,
  submitted_at: null,
  earlier_checks: 0,
  decision: null,
  held_for: null,
  decided_at: null,
  open_until: at(9),
  closed_at: null,
  review: null,
}

test.each<[string, Partial<Session>, string, string]>([
  ["a link that no one has opened", {}, "Awaiting investor", "Link not opened yet"],
  ["an opened link", { opened_at: at(1) }, "Awaiting investor", "Opened the link"],
  ["a proved wallet", { opened_at: at(1), wallet_proved_at: at(2) }, "Awaiting investor", "Signed with the wallet"],
  ["a person at the vendor's page", { opened_at: at(1), consented_at: at(2) }, "Awaiting investor", "Went to Onfido"],
  [
    "consent given before the wallet step",
    { consented_at: at(1), wallet_proved_at: at(2) },
    "Awaiting investor",
    "Signed with the wallet",
  ],
  [
    "documents at the vendor",
    { consented_at: at(1), submitted_at: at(2) },
    "Being checked",
    "Sent documents to Onfido",
  ],
  [
    "a third attempt",
    { consented_at: at(4), submitted_at: at(2), earlier_checks: 2, decision: "resubmission_requested" },
    "Asked to submit again",
    "Went to Onfido, attempt 3",
  ],
  ["a form", { flow: "form", opened_at: at(1), consented_at: at(1) }, "Being checked", "Sent the form"],
  [
    "a review",
    { flow: "form", consented_at: at(1), decision: "in_review", state: "in_review" },
    "In review",
    "Awaiting a review",
  ],
  [
    "a review for a vendor's reason",
    {
      ...{ decision: "in_review", state: "in_review" },
      review: { review_id: "rev_1", said: "Sanctions screening: 1 possible match" },
    },
    "In review",
    "Sanctions screening: 1 possible match",
  ],
  [
    "a review for an event's name",
    { decision: "in_review", state: "in_review", review: { review_id: "rev_1", said: "report/watchlist" } },
    "In review",
    "Awaiting a review",
  ],
  [
    "an approval on its way to the chain",
    { consented_at: at(1), decision: "approved", state: "approved", open_until: null },
    "Approved, confirming on chain",
    "Went to Onfido",
  ],
  [
    "an approval without the wallet's proof",
    { consented_at: at(1), decision: "approved", held_for: "wallet_proof" },
    "Approved, awaiting the wallet’s signature",
    "Went to Onfido",
  ],
])("%s: what it waits for, and the last step", (_, changes, wait, step) => {
  const session = { ...fresh, ...changes }
  expect(waitOf(session).words).toBe(wait)
  expect(lastStepOf(session).words).toBe(step)
})

test("the last step has its time", () => {
  expect(lastStepOf(fresh).at).toBeNull()
  expect(lastStepOf({ ...fresh, opened_at: at(3) }).at).toBe(at(3))
})
