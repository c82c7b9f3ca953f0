import { afterEach, beforeAll, expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import type { ModeProviders } from "#server/domain/providers/choose.ts"
import type { Provider } from "#server/domain/providers/provider.ts"
import { fail } from "#shared/errors.ts"
import { type Mode, modes } from "#shared/mode.ts"
import type { TestKey } from "#test/fixtures/app.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

// Both modes share one secret, which is the default. A valid signature therefore does not show which mode's session an
// event is about.

let keys: Record<Mode, TestKey>
let chosen: Record<Mode, ModeProviders>

usesApp()
beforeAll(async () => {
  keys = { live: await app.key({ mode: "live" }), test: await app.key({ mode: "test" }) }
  chosen = deployment.providers
})
afterEach(() => {
  deployment.providers = chosen
})

/** Changes the mode's default provider. */
function use(mode: Mode, change: (provider: Provider) => Partial<Provider>): void {
  const before = deployment.providers[mode]
  const provider = { ...before.default!, ...change(before.default!) }
  const configured = new Map([...before.configured, [provider.name, provider]])
  deployment.providers = { ...deployment.providers, [mode]: { ...before, default: provider, configured } }
}

const unavailable = () => fail("database_unavailable", "The provider cannot be asked.")
const unreadable = () => fail("validation_failed", "This is not our event.")

const send = async (sessionId: string) => {
  const { status, json } = await app.webhook({ session_id: sessionId, decision: "rejected" })
  return [status, json.outcome ?? json.error]
}
const start = async (mode: Mode) => (await app.startSession(keys[mode])).sessionId

test("each mode's provider reads events about its own sessions", async () => {
  const readBy: [Mode, string][] = []
  for (const mode of modes) {
    use(mode, ({ readEvent }) => ({
      readEvent(headers, body) {
        const event = readEvent(headers, body)!
        readBy.push([mode, "sessionId" in event.about ? event.about.sessionId : "none"])
        // Under this mode's settings, the event decides nothing about the other mode's session.
        return event
      },
    }))
  }
  for (const mode of modes) {
    const sessionId = await start(mode)
    expect(await send(sessionId)).toEqual([200, "applied"])
    expect(readBy.at(-1)).toEqual([mode, sessionId])
  }
})

test.each(modes)("another mode's reading of an event decides nothing in %s mode", async (mode) => {
  const other = mode === "live" ? "test" : "live"
  use(other, ({ readEvent }) => ({
    readEvent(headers, body) {
      const event = readEvent(headers, body)!
      return { ...event, says: { ...event.says, decision: "approved" } as typeof event.says }
    },
  }))
  const { wallet, sessionId } = await app.startSession(keys[mode])
  expect(await send(sessionId)).toEqual([200, "applied"])
  await app.waitForStatus(keys[mode], wallet, "rejected")
})

test.each(modes)("another provider with the same secret does not block events for %s sessions", async (mode) => {
  const sessionId = await start(mode)
  use(mode === "live" ? "test" : "live", () => ({ name: "other", readEvent: unreadable }))
  expect(await send(sessionId)).toEqual([200, "applied"])
})

test("an error of one provider does not block events of the others, and its own events must be sent again", async () => {
  const [live, test] = [await start("live"), await start("test")]
  use("live", () => ({ readEvent: unavailable }))
  expect(await send(test)).toEqual([200, "applied"])
  expect(await send(live)).toEqual([503, "database_unavailable"])
  deployment.providers = chosen
  expect(await send(live)).toEqual([200, "applied"])
})

test("a webhook that no provider can read is refused, and one about an unknown session is ignored", async () => {
  const sessionId = await start("test")
  use("live", () => ({ readEvent: unreadable }))
  expect(await send("sess_x")).toEqual([200, "ignored"])
  use("test", () => ({ readEvent: unreadable }))
  expect(await send(sessionId)).toEqual([422, "validation_failed"])
})
