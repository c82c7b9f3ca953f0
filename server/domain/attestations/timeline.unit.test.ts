import { expect, test } from "vitest"
import { type Life, timelineOf } from "./timeline.ts"

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
const life = (more: Partial<Life>): Life => ({
  status: "pending",
  created_at: at(0),
  consented_at: null,
  flow: "form",
  wallet_proved_at: null,
  decision: null,
  issued_at: null,
  issuing: null,
  verified_at: null,
  revoked_at: null,
  ended_at: null,
  open_until: null,
  expires_at: null,
  reason: null,
  burning: null,
  traces: {},
  ...more,
})
const timeline = (more: Partial<Life>) =>
  timelineOf(life(more)).map(({ event, at, detail }) =>
    [event, detail, new Date(at).getUTCMinutes()].filter((word) => word !== null).join(" "),
  )
const landed = { signature: "sig", signed_at: at(3), settled_at: at(4), slot: 7 }
const verified = {
  consented_at: at(1),
  decision: { at: at(2), result: "approved" },
  issued_at: at(2),
  issuing: landed,
  verified_at: at(4),
  expires_at: at(50),
}
const SO_FAR = ["started 0", "submitted 1", "decided approved 2", "signed 3", "confirmed 4"]

test.each<[string, Partial<Life>, string[]]>([
  ["a new one", {}, ["started 0"]],
  ["one whose form was sent", { consented_at: at(1) }, ["started 0", "submitted 1"]],
  [
    "one whose investor went to the vendor's page",
    { flow: "redirect", consented_at: at(1), decision: { at: at(2), result: "in_review" } },
    ["started 0", "consented 1", "decided in_review 2"],
  ],
  [
    "one whose wallet signed before that",
    {
      flow: "redirect",
      wallet_proved_at: at(1),
      consented_at: at(1),
      decision: { at: at(2), result: "in_review" },
    },
    ["started 0", "wallet_proved 1", "consented 1", "decided in_review 2"],
  ],
  [
    "one that was rejected",
    { status: "rejected", decision: { at: at(2), result: "rejected" }, ended_at: at(2), reason: "Blurred" },
    ["started 0", "decided rejected 2"],
  ],
  [
    "one that closed undecided, whether or not it was swept",
    { status: "expired", open_until: at(9) },
    ["started 0", "expired 9"],
  ],
  [
    "the same once swept, some time later",
    { status: "expired", open_until: at(9), ended_at: at(10) },
    ["started 0", "expired 9"],
  ],
  ["a verified one", { ...verified, status: "verified" }, SO_FAR],
  [
    "one that was signed and has not landed yet",
    { ...verified, verified_at: null, issuing: { ...landed, settled_at: null, slot: null } },
    SO_FAR.slice(0, 4),
  ],
  [
    "one whose validity is over",
    { ...verified, status: "expired", ended_at: at(51), burning: { ...landed, settled_at: at(52) } },
    [...SO_FAR, "expired 50", "burnt 52"],
  ],
  [
    "one whose approval, cut to the second, seems to come before its start",
    {
      ...verified,
      status: "verified",
      created_at: at(1),
      consented_at: null,
      issued_at: at(0),
      decision: null,
    },
    ["started 1", "decided approved 1", "signed 3", "confirmed 4"],
  ],
  [
    "one that a renewal replaced",
    { ...verified, status: "expired", ended_at: at(20), reason: "superseded" },
    [...SO_FAR, "superseded 20"],
  ],
  [
    "one that was revoked here",
    { ...verified, status: "rejected", revoked_at: at(20), ended_at: at(20), reason: "Lost" },
    [...SO_FAR, "revoked Lost 20"],
  ],
  [
    "one whose provider changed its mind keeps its approval",
    {
      ...verified,
      status: "rejected",
      decision: { at: at(19), result: "rejected" },
      revoked_at: at(20),
      ended_at: at(20),
      reason: "Fraud",
    },
    [...SO_FAR, "decided rejected 19", "revoked Fraud 20"],
  ],
])("%s", (_what, more, expected) => {
  expect(timeline(more)).toEqual(expected)
})
