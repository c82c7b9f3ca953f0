import { describeRule, mint, NOW, transfer } from "#test/fixtures/rules.ts"

const until = (seconds: number) => ({ transfers_locked_until: new Date(NOW.getTime() + seconds * 1000) })

describeRule("transfers_locked", {
  refuses: [["a second before the end", transfer({ rules: until(1) })]],
  admits: [
    ["at the end of the lock-up", transfer({ rules: until(0) })],
    ["a mint in the lock-up", mint({ rules: until(1) })],
  ],
})
