/** Asks a validator everything anew and keeps the shapes of its answers: `npm run shapes`. */
import { findValidator, startValidator } from "../fixtures/validator.ts"
import { shapesOf } from "./compare.ts"
import { writeGolden } from "./golden.ts"

const file = findValidator()
if (file === null) throw new Error("No solana-test-validator: name it by SOLANA_TEST_VALIDATOR.")
const validator = await startValidator(file)
try {
  const shapes = await shapesOf(validator.url)
  writeGolden(shapes)
  console.log(`${Object.keys(shapes).length} calls recorded`)
} finally {
  await validator.stop()
}
