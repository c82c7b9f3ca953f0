import { afterEach, expect, test, vi } from "vitest"
import { Slots } from "./slots.ts"

afterEach(() => void vi.useRealTimers())

test("the first slot is read again, a plausible one is believed, and an impossible one is rejected", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 })
  const slots = new Slots()
  expect(slots.judge(400_000_000)).toBe("surprising")
  slots.believe(400_000_000)
  expect(slots.judge(400_000_900)).toBe("plain")
  expect(slots.judge(400_002_000)).toBe("surprising")
  expect(slots.judge(400_100_000)).toBe("impossible")
  vi.setSystemTime(1000 * 1000)
  expect(slots.judge(400_006_000)).toBe("plain")
  expect(slots.judge(400_100_000)).toBe("surprising")
  expect(slots.judge(2 ** 52)).toBe("impossible")
  // A clock that was set back counts like one that stopped.
  vi.setSystemTime(-1000)
  expect(slots.judge(400_000_900)).toBe("plain")
  expect(slots.judge(400_100_000)).toBe("impossible")
})

test("a lower slot concerns only its node, and an invalid slot is rejected", () => {
  const slots = new Slots()
  slots.believe(5000)
  slots.believe(10)
  expect(slots.judge(10)).toBe("plain")
  expect(slots.judge(5900)).toBe("plain")
  for (const wrong of [-1, 1.5, 2 ** 53, Number.NaN, "7" as never, null as never])
    expect(slots.judge(wrong)).toBe("impossible")
})
