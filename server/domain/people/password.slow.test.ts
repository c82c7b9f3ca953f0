import { expect, test, vi } from "vitest"
import { monotonic } from "#server/lib/time.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { asAttempt } from "./attempt.ts"
import { hashPassword, passwordWork, queued, verifyPassword } from "./password.ts"

usesApp({
  environment: {
    VOUCH_ROLE: "web",
    VOUCH_RATE_LIMIT: "1000",
    VOUCH_TRUSTED_PROXIES: "127.0.0.1",
  },
})

let network = 0
/** A browser in its own network, or at an address. */
const from = (address = `2001:db8:0:${(++network).toString(16)}::1`) =>
  new Browser({ origin: app.origin, headers: { "x-forwarded-for": address } })
const signIn = (browser: Browser, email: string, password: string) =>
  browser.auth("/sign-in/email", { email, password })

/** Cheap work instead of a hash. The order of batches does not depend on it. */
const nothing = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Requests several hashes for a network at once, and records their order. */
function asker() {
  const served: string[] = []
  return {
    served,
    ask: (network: string, count = 1) =>
      Array.from({ length: count }, () =>
        asAttempt(network, () => queued(nothing)).then(
          () => void served.push(network),
          (failure) => failure.code as string,
        ),
      ),
  }
}

test("one hash runs at a time, 64 wait, and another one is refused; then the queue recovers", async () => {
  let running = 0
  let most = 0
  const work = Array.from({ length: 70 }, (_, i) =>
    asAttempt(`network ${i}`, () =>
      queued(async () => {
        most = Math.max(most, ++running)
        await nothing()
        running--
        return i
      }),
    ),
  )
  const settled = Promise.allSettled(work)
  expect(passwordWork()).toEqual({ running: 1, waiting: 64 })
  const outcomes = await settled
  const refused = outcomes.filter(({ status }) => status === "rejected")
  expect(refused).toHaveLength(5)
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ code: "rate_limited" })
  for (const [i, outcome] of outcomes.slice(0, 65).entries()) {
    expect(outcome).toEqual({ status: "fulfilled", value: i })
  }
  expect(most).toBe(1)
  expect(passwordWork()).toEqual({ running: 0, waiting: 0 })
})

test("a hash and a check run one after the other, and the check accepts only the right password", async () => {
  const hashing = hashPassword(PASSWORD)
  const waiting = queued(nothing)
  expect(passwordWork()).toEqual({ running: 1, waiting: 1 })
  await waiting
  const hash = await hashing
  const checks = [PASSWORD, "no"].map((password) => verifyPassword({ hash, password }))
  expect(passwordWork()).toEqual({ running: 1, waiting: 1 })
  expect(await Promise.all(checks)).toEqual([true, false])
})

test("eight requests of one network can wait, and another network's first hash comes before its second", async () => {
  const { ask, served } = asker()
  const work = [...ask("greedy", 10), ...ask("modest")]
  expect((await Promise.all(work)).filter((code) => code === "rate_limited")).toHaveLength(1)
  expect(served).toEqual(["greedy", "modest", ...Array(8).fill("greedy")])
})

test("a full queue of networks with past hashes makes room for one that had none", async () => {
  const { ask, served } = asker()
  const networks = Array.from({ length: 33 }, (_, i) => `robot ${i}`)
  await Promise.all(networks.flatMap((network) => ask(network)))
  served.length = 0
  const robots = networks.flatMap((network) => ask(network, 2))
  await Promise.all(ask("honest"))
  expect(served.indexOf("honest")).toBe(1)
  await Promise.all(robots)
})

test("when many people sign in at once, one hash runs at a time, the others must retry, and no one else is delayed", async () => {
  const { email, account } = await member(app)
  const key = await app.key({ account })
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, passwordWork().running)
  }, 1)
  const signIns = Promise.all(Array.from({ length: 80 }, (_, i) => signIn(from(), `${i}${email}`, PASSWORD)))
  await waitFor(async () => passwordWork().waiting > 0, "the crowd")
  expect((await app.request({ method: "GET", path: "/usage", key: key.apiKey })).status).toBe(200)
  const answers = await signIns
  clearInterval(look)
  expect(most).toBe(1)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]))
  expect(answers.find(({ status }) => status === 429)!.json.detail).toMatch(/Too many people are signing in/)
  expect((await signIn(from(), email, PASSWORD)).status).toBe(200)
})

test("a network has ten attempts a minute, from any of its addresses", async () => {
  const { email } = await member(app)
  const answers: number[] = []
  for (let i = 0; i < 12; i++) {
    answers.push((await signIn(from(`2001:db8:ffff:1::${i + 1}`), email, "wrong")).status)
  }
  expect(answers).toEqual([...Array(10).fill(401), 429, 429])
  expect((await signIn(from(), email, PASSWORD)).status).toBe(200)
})

test("an email address has twenty attempts in a row, from any number of networks, known or not", async () => {
  // Freeze time, so that slow hashes do not give attempts back.
  vi.spyOn(monotonic, "now").mockReturnValue(monotonic.now())
  const [known, other] = [await member(app), await member(app)]
  // The known browser has used one attempt to sign in.
  for (const [email, left] of [
    [known.email, 19],
    ["unknown@example.com", 20],
  ] as const) {
    const answers: number[] = []
    for (let i = 0; i < left + 2; i++) {
      answers.push((await signIn(from(), i % 2 ? email : email.toUpperCase(), "wrong")).status)
    }
    expect(answers).toEqual([...Array(left).fill(401), 429, 429])
  }
  expect((await signIn(from(), known.email, PASSWORD)).json.detail).toMatch(/Too many attempts for this address/)
  expect((await signIn(from(), other.email, PASSWORD)).status).toBe(200)
  vi.restoreAllMocks()
})
