import { test } from "vitest"
import { RACING, raceForBalance } from "#test/fixtures/hold-races.ts"
import { usesCustomer } from "#test/fixtures/uses-app.ts"

// Operations on one wallet run one after the other, and each that the chain refuses takes about a second.
usesCustomer({ environment: { VOUCH_LOCALNET_SLOT_MS: "20" } })

test(`in holder mode, ${RACING} burns, transfers and holds at once, at two servers, take and hold no more than there is`, () =>
  raceForBalance("holder"))
