import { relative } from "node:path"
import { beforeEach } from "vitest"
import { localnetOnly } from "./on-validator.ts"

const root = `${import.meta.dirname}/../..`

beforeEach(({ task, skip }) => {
  const tests = localnetOnly[relative(root, task.file.filepath)]
  if (typeof tests === "object" && tests[task.name] !== undefined) skip(tests[task.name])
})
