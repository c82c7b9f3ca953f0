/** Repeats every call on a validator and records the shapes of its responses: `npm run shapes`. */
import { shapesOf, writeGolden } from "#localnet/shapes"
import { findValidator, startValidator } from "../fixtures/validator.ts"

const file = findValidator()
if (file === null) throw new Error("No solana-test-validator: set SOLANA_TEST_VALIDATOR to its path.")
const validator = await startValidator(file)
try {
  const shapes = await shapesOf(validator.url)
  writeGolden(shapes)
  console.log(`${Object.keys(shapes).length} calls recorded`)
} finally {
  await validator.stop()
}
