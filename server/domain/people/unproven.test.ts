import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { Browser, member, PASSWORD } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { releaseAddress } from "./people.ts"

// A server that cannot send mail: people pass links on by hand, and an address is only a name to sign in with.

usesApp()

const tokenOf = (link: string) => new URL(link).searchParams.get("token")!

test("people join with only the link, and no address counts as confirmed, bound or not", async () => {
  const { browser } = await member(app)
  for (const email of [undefined, "bound@example.com"]) {
    const token = tokenOf((await browser.mutate("member.invite", { role: "viewer", email })).data.link)
    const bearer = new Browser(app)
    expect((await bearer.query("setup.look", { token })).data.needs_mail).toBe(false)
    const address = email ?? "free@example.com"
    const person = { token, name: "Bob", email: address, password: PASSWORD }
    expect((await bearer.mutate("setup.createUser", person)).status).toBe(200)
    const [user] = await sql`select email_verified from users where email = ${address}`
    expect(user).toEqual({ email_verified: false })
  }
})

test("an inviter cannot use their own link to take over an address; the operator releases an unconfirmed one", async () => {
  const host = await member(app)
  const victim = "vera@example.com"
  const squat = tokenOf((await host.browser.mutate("member.invite", { role: "owner" })).data.link)
  const squatter = new Browser(app)
  await squatter.mutate("setup.createUser", { token: squat, name: "M", email: victim, password: PASSWORD })
  await squatter.signIn(victim)

  const inviter = await member(app)
  const token = tokenOf((await inviter.browser.mutate("member.invite", { role: "viewer", email: victim })).data.link)
  const bearer = new Browser(app)
  const person = { token, name: "Vera", email: victim, password: PASSWORD, take_over: true }
  const taken = await bearer.mutate("setup.createUser", person)
  expect([taken.error.error, taken.error.detail]).toEqual(["email_taken", expect.stringMatching(/operator/)])
  expect((await squatter.query("me.get")).status).toBe(200)

  expect(await releaseAddress(victim.toUpperCase())).toBe(true)
  expect(await releaseAddress(victim)).toBe(false)
  expect((await squatter.query("me.get")).status).toBe(401)
  expect((await bearer.mutate("setup.createUser", person)).status).toBe(200)
  expect(await releaseAddress(host.email)).toBe(false)
})
