import { expect, test } from "vitest"
import { readGolden, shapesOf } from "#localnet/shapes"
import { findValidator, startValidator } from "#test/fixtures/validator.ts"

const file = findValidator()
if (file === null) console.warn("No solana-test-validator: the recorded shapes of its responses are not checked.")

test.skipIf(file === null)(
  "a validator's responses have the recorded shapes (npm run shapes records them again)",
  async () => {
    const validator = await startValidator(file!)
    try {
      expect(await shapesOf(validator.url)).toEqual(readGolden())
    } finally {
      await validator.stop()
    }
  },
  180_000,
)
