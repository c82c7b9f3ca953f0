import { expect, test } from "vitest"
import { eventId } from "./staged.ts"

test("the ids of events stay the same in every version, because customers skip ids they know", () => {
  const event = { workspace_id: "ws_1", seq: "7" }
  const whole = { subject: null, occurred_at: new Date("2026-11-25T10:00:00.123Z") }
  expect([
    eventId({ ...event, type: "session.opened", subject: "att_1", data: null, occurred_at: null }),
    eventId({
      ...event,
      ...whole,
      type: "attestation.expiring",
      data: { attestation_id: "att_1", expires_at: "2026-12-25T10:00:00Z", days: 30 },
    }),
    eventId({ ...event, ...whole, type: "token.paused", data: { symbol: "USREF", mint_config: "fund" } }),
  ]).toEqual(["evt_9XyneasKSpXXD57HhMamZf", "evt_3YaZFxREaHyfoz4jyHKbW5", "evt_1221i2kbpVEjcksDBmeWj9"])
})
