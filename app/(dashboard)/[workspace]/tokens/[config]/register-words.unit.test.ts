import { expect, test } from "vitest"
import { everyoneVerified, someUnverified, whatToDo } from "./register-words.ts"

test("the register counts holders who are not verified, and says if the moment has passed", () => {
  expect(someUnverified({ holders: 1200, unverified: 3 }, true)).toBe("3 of 1,200 holders are not verified.")
  expect(someUnverified({ holders: 120, unverified: 1 }, true)).toBe("1 of 120 holders is not verified.")
  expect(someUnverified({ holders: 1, unverified: 1 }, false)).toBe("1 of 1 holder was not verified at that moment.")
  expect(someUnverified({ holders: 39, unverified: 1 }, true, "investor")).toBe("1 of 39 investors is not verified.")
  expect(everyoneVerified({ holders: 1, unverified: 0 }, true, "investor")).toBe("The only investor is verified.")
  expect(everyoneVerified({ holders: 120, unverified: 0 }, true)).toBe("All 120 holders are verified.")
  expect(everyoneVerified({ holders: 1, unverified: 0 }, false)).toBe("The only holder was verified at that moment.")
  expect(whatToDo({ holders: 20, unverified: 1 })).toContain("Start a session for them")
  expect(whatToDo({ holders: 20, unverified: 2 })).toContain("Start a session for each")
})
