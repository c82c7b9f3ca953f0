import { expect, test } from "vitest"
import { newWallet } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { app, caller, consumer, ended, sendsWebhooks, subscribe, until } from "#test/fixtures/webhooks.ts"

sendsWebhooks()

/** A member of a workspace whose endpoint has received events about people with these names. */
async function delivered(...names: string[]) {
  const { browser, account } = await member(app)
  const call = caller(await app.key({ account }))
  const to = await consumer()
  const id = await subscribe(call, to)
  for (const externalId of names) {
    const sent = { userPubkey: newWallet(), schemaId: "kyc_individual_v1", externalId }
    expect((await call("POST", "/kyc/start", sent)).status).toBe(200)
  }
  await until(to, 2 * names.length)
  await ended(call, id)
  return { browser, id }
}

test("deliveries have their events and the names of the people in them, page by page", async () => {
  const { browser, id } = await delivered("noah-1", "emma-2")
  const read = async (input: object) => (await browser.query("webhook.searchDeliveries", { id, ...input })).data
  const all = await read({})
  expect(all.data.map(({ event_id }: { event_id: string }) => event_id)).toEqual(
    all.data.map(({ event }: { event: { id: string } }) => event.id),
  )
  const nameOf = (page: typeof all, n: number) =>
    page.people.find(({ user_pubkey }: { user_pubkey: string }) => user_pubkey === page.data[n].event.data.user_pubkey)
      .external_id
  expect([0, 1, 2, 3].map((n) => nameOf(all, n))).toEqual(["emma-2", "emma-2", "noah-1", "noah-1"])
  const first = await read({ limit: 2 })
  expect(first.people).toHaveLength(1)
  expect((await read({ limit: 2, cursor: first.next_cursor })).people).toMatchObject([{ external_id: "noah-1" }])
  expect((await read({ status: "failed" })).data).toEqual([])
  const ofEmma = await read({ about: "emma-2" })
  expect(ofEmma).toMatchObject({ data: all.data.slice(0, 2), next_cursor: null })
  expect((await read({ about: all.data[3].event_id })).data).toEqual([all.data[3]])
  expect((await read({ about: "emma-2", type: "session.opened" })).data).toHaveLength(1)
  expect((await read({ about: "emma-2", status: "failed" })).data).toEqual([])
  const part = await read({ about: "emma-2", limit: 1 })
  expect((await read({ about: "emma-2", limit: 1, cursor: part.next_cursor })).data).toEqual([all.data[1]])
  const opened = await read({ type: "session.opened" })
  expect(opened.data.map(({ type }: { type: string }) => type)).toEqual(["session.opened", "session.opened"])
})

test("a delivery has its event as it was sent, and the name of the person in it", async () => {
  const { browser, id } = await delivered("noah-1")
  const { data } = (await browser.query("webhook.searchDeliveries", { id })).data
  const view = (await browser.query("webhook.viewDelivery", { id, event_id: data[0].event_id })).data
  expect(view).toMatchObject({ status: "delivered", event: data[0].event, people: [{ external_id: "noah-1" }] })
  expect(JSON.parse(view.body)).toEqual(view.event)
})

test("a member of another account finds neither the endpoint nor its deliveries", async () => {
  const { browser, id } = await delivered("noah-1")
  const { data } = (await browser.query("webhook.searchDeliveries", { id })).data
  const stranger = await member(app)
  const asked = { id, event_id: data[0].event_id }
  for (const [procedure, input] of [
    ["webhook.searchDeliveries", { id }],
    ["webhook.viewDelivery", asked],
  ] as const)
    expect((await stranger.browser.query(procedure, input)).error.error).toBe("webhook_endpoint_not_found")
})
