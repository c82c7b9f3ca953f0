import { expect, test } from "vitest"
import { warningsOf } from "./durability.ts"

test.each([
  ["alone", "on", "", 0, null],
  ["alone, not waiting for its own disk", "off", "", 0, /synchronous_commit is off/],
  ["alone, so that local equals on", "local", "", 0, null],
  ["with an asynchronous standby", "on", "", 1, /no standby is synchronous/],
  ["with a synchronous standby that commits wait for", "on", "ANY 1 (*)", 1, null],
  ["with a synchronous standby that must apply", "remote_apply", "ANY 1 (*)", 1, null],
  ["with a synchronous standby that commits do not wait for", "local", "ANY 1 (*)", 1, /synchronous_commit is local/],
  ["with a synchronous standby that is down", "local", "ANY 1 (*)", 0, /synchronous_commit is local/],
])("a database %s", (_what, synchronous_commit, standby_names, standbys, warning) => {
  const found = warningsOf({ synchronous_commit, standby_names, standbys })
  if (warning === null) expect(found).toEqual([])
  else expect(found.join()).toMatch(warning)
})
