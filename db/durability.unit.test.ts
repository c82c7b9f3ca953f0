import { expect, test } from "vitest"
import { warningsOf } from "./durability.ts"

test.each([
  ["alone", "on", "", 0, null],
  ["alone, and not waiting for its own disk", "off", "", 0, /synchronous_commit is off/],
  ["alone, where local is the same as on", "local", "", 0, null],
  ["beside a standby that nobody waits for", "on", "", 1, /no standby is synchronous/],
  ["beside a synchronous one that is waited for", "on", "ANY 1 (*)", 1, null],
  ["beside a synchronous one that is asked to apply", "remote_apply", "ANY 1 (*)", 1, null],
  ["beside a synchronous one that is not waited for", "local", "ANY 1 (*)", 1, /synchronous_commit is local/],
  ["where the synchronous one is away for now", "local", "ANY 1 (*)", 0, /synchronous_commit is local/],
])("a database %s", (_what, synchronous_commit, standby_names, standbys, warning) => {
  const found = warningsOf({ synchronous_commit, standby_names, standbys })
  if (warning === null) expect(found).toEqual([])
  else expect(found.join()).toMatch(warning)
})
