import { toTimestamp } from "../timestamp.ts"
import { AGENT_ONLY, defineRule } from "./define.ts"

export const lockUp = defineRule({
  code: "transfers_locked",
  name: "Lock-up",
  fields: {
    transfers_locked_until: {
      type: "time",
      description: "No transfers before this time; minting is not affected",
      example: "2027-01-01T00:00:00Z",
      label: "Transfers locked until",
      hint: "Refuses transfers before this time (in your time zone). Minting is not affected.",
      summary: (until, { now, formatTime }) =>
        new Date(until) > now
          ? `No transfers before ${formatTime(until)}.`
          : `Transfers open since ${formatTime(until)}.`,
      modes: AGENT_ONLY,
    },
  },
  needs: ["transfers_locked_until"],
  on: ["transfer"],
  checked: "signing",
  readsClaims: false,
  remedy: null,
  check: ({ now, rules: { transfers_locked_until: until } }) =>
    now < until ? `Transfers are locked until ${toTimestamp(until)}.` : null,
  locks: ({ available, rules }) => [{ amount: available, until: rules.transfers_locked_until }],
  passed: ({ rules }) => `The lock-up ended at ${toTimestamp(rules.transfers_locked_until)}.`,
})
