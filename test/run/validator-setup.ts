import type { TestProject } from "vitest/node"
import { findValidator, startValidator } from "../fixtures/validator.ts"

/** One validator for all tests of the run: each test has its own keys. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startValidator(findValidator()!)
  project.provide("validatorUrl", url)
  return stop
}
