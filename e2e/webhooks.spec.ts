import type { Page } from "@playwright/test"
import { startConsumer } from "../test/doubles/webhook-consumer.ts"
import { changeAnswer } from "./answers.ts"
import { expect, expectAccessible, heading, section, showFilters, test } from "./dashboard.ts"

const choose = async (page: Page, action: string) => {
  await page.getByRole("button", { name: "More actions" }).click()
  await page.getByRole("menuitem", { name: action }).click()
}

test("an endpoint is added and tested, receives events, and is changed, disabled, enabled and deleted in the page", {
  tag: ["@journey", "@phone"],
}, async ({ page, customer, traffic }) => {
  traffic.allow(/422 \(Unprocessable|410 \(Gone/)
  const consumer = await startConsumer()
  await page.goto(section(customer, "webhooks"))
  await expect(heading(page, "Webhooks")).toBeVisible()
  await page.getByRole("button", { name: "Add endpoint" }).click()
  const form = page.getByRole("dialog", { name: "Add a webhook endpoint" })
  await expectAccessible(page)
  // The error is at its field, and entered values stay.
  await form.getByLabel("URL").fill("https://10.0.0.1/hooks")
  await form.getByLabel("Description").fill("Ledger service")
  await form.getByRole("button", { name: "Add endpoint" }).click()
  await expect(form.getByText(/on the public Internet \(an operator/)).toBeVisible()
  await form.getByLabel("URL").fill(consumer.url)
  await form.getByRole("checkbox", { name: /^All events/ }).uncheck()
  await form.getByRole("button", { name: "None" }).click()
  await form.getByRole("button", { name: "Add endpoint" }).click()
  await expect(form.getByText("Select at least one type.")).toBeVisible()
  await form.getByRole("checkbox", { name: /session\.opened/ }).check()
  await expectAccessible(page)
  await form.getByRole("button", { name: "Add endpoint" }).click()

  await expect(heading(page, new RegExp(consumer.url))).toBeVisible()
  await expect(page.getByText("No deliveries yet")).toBeVisible()
  // The receiver does not have the secret yet, so it refuses, and the page shows its response.
  await page.getByRole("button", { name: "Send test event" }).click()
  await expect(page.locator("[data-sonner-toast][data-type=error]")).toContainText("It answered 401.")
  await page.getByText("1 event type, in any order").click()
  await page.getByRole("button", { name: "Show", exact: true }).click()
  const secret = page.getByTitle(/^whsec_/)
  consumer.expect((await secret.getAttribute("title"))!)
  await page.getByRole("button", { name: "Send test event" }).click()
  await expect(page.getByText("The endpoint accepted the test event")).toBeVisible()
  expect(consumer.received.map(({ event }) => event.type)).toEqual(["webhook.test"])

  const name = `noah-${Date.now().toString(36)}`
  await customer.api.start({ externalId: name })
  const opened = page.getByRole("row").filter({ hasText: "session.opened" })
  await expect(opened).toContainText("Delivered")
  await expect(opened.getByText(name)).toBeVisible()
  const about = page.getByRole("searchbox", { name: "About" })
  await about.fill("another")
  await expect(page.getByText("No matching deliveries")).toBeVisible()
  await about.fill(name)
  await expect(opened).toHaveCount(1)
  expect(consumer.received.map(({ event }) => event.type)).toEqual(["webhook.test", "session.opened"])
  await expectAccessible(page)
  await opened.getByRole("link").click()
  await expect(heading(page, /session\.opened/)).toBeVisible()
  await expect(page.getByRole("link", { name })).toHaveAttribute("href", /attestations\/att_/)
  await expect(page.getByRole("row").filter({ hasText: "204" })).toHaveCount(1)
  await page.getByRole("button", { name: "Send again" }).click()
  await expect(page.getByRole("row").filter({ hasText: "204" })).toHaveCount(2)
  await expectAccessible(page)
  await page.getByRole("link", { name: "Webhook endpoint" }).click()

  // Replays all events after a cursor, unless the database has lost that event.
  const { data: events } = await customer.api.call("GET", "/events?limit=1000")
  const last = events.at(-1)
  await choose(page, "Replay events")
  const replay = page.getByRole("dialog", { name: "Replay events" })
  await replay.getByLabel("All after event").fill("latest")
  await replay.getByRole("button", { name: "Replay" }).click()
  await expect(replay.getByText("Enter a cursor such as")).toBeVisible()
  await replay.getByLabel("All after event").fill(`${last.sequence}-lost`)
  await replay.getByRole("button", { name: "Replay" }).click()
  await expect(replay.getByText(`Continue with cursor=`)).toBeVisible()
  await expectAccessible(page)
  await replay.getByLabel("All after event").fill(last.cursor)
  await replay.getByRole("button", { name: "Replay" }).click()
  await expect(page.getByText(/^[0-9]+ events? (is|are) sent again$/)).toBeVisible()

  await choose(page, "Rotate secret")
  await page.getByLabel("The old secret signs").selectOption({ label: "No longer" })
  // The answer is lost, and the second attempt does not end the secret that the consumer has.
  const rotations: (string | undefined)[] = []
  traffic.allow(/webhook\.rotateSecret|ERR_FAILED/)
  await page.route("**/webhook.rotateSecret", async (route) => {
    rotations.push((await route.request().headerValue("idempotency-key")) ?? undefined)
    if (rotations.length > 1) return route.continue()
    await route.fetch()
    await route.abort("failed")
  })
  await page.getByRole("button", { name: "Rotate secret" }).click()
  await expect(page.getByText("No answer arrived, so the endpoint may have a new secret.")).toBeVisible()
  await expect(page.getByLabel("The old secret signs").getByRole("option")).toHaveText(["No longer"])
  await page.getByRole("button", { name: "Rotate secret" }).click()
  await expect(page.getByText("The endpoint has a new secret")).toBeVisible()
  expect(rotations).toEqual([rotations[0], rotations[0]])
  expect(rotations[0]).toBeTruthy()
  await choose(page, "Disable")
  await page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click()
  await expect(page.getByText("Disabled", { exact: true })).toBeVisible()
  await page.getByRole("button", { name: "Enable" }).click()
  await expect(page.getByText("Enabled", { exact: true })).toBeVisible()
  await page.getByRole("button", { name: "Edit", exact: true }).click()
  await page.getByLabel("Description").fill("Another one")
  await page.getByRole("button", { name: "Save" }).click()
  await expect(page.getByText("Another one")).toBeVisible()
  await choose(page, "Delete")
  await page.getByRole("button", { name: "Delete endpoint" }).click()
  await expect(heading(page, "Webhooks")).toBeVisible()
  await expect(page.getByText(consumer.url)).toHaveCount(0)
  await consumer.close()

  await page.goto(section(customer, "audit"))
  await showFilters(page)
  await page.getByLabel("What").selectOption({ label: "Webhooks" })
  // Once a deleted endpoint is gone, only the entries about its beginning and end name it.
  for (const did of ["created", "replaced the secret of", "disabled", "enabled", "changed", "deleted"])
    await expect(
      page.getByText(new RegExp(`Olivia Owner ${did} the webhook endpoint (${new URL(consumer.url).host}|whe_\\w+)`)),
    ).toBeVisible()
})

test("an endpoint's health is shown, a delivery shows what was sent, and only failed events are replayed", async ({
  page,
  customer,
}) => {
  test.setTimeout(120_000)
  const { api } = customer
  const consumer = await startConsumer()
  consumer.answer(({ event }) => (event.type === "session.opened" ? 500 : 204))
  const fields = { url: consumer.url, description: "Ledger service" }
  const { endpoint_id, secret } = await api.call("POST", "/webhook-endpoints", fields)
  consumer.expect(secret)
  await api.start({})
  const deliveries = `/webhook-endpoint/${endpoint_id}/deliveries`
  const failing = async () => {
    const { data } = await api.call("GET", deliveries)
    return data.find(({ type }: { type: string }) => type === "session.opened")
  }
  // After the second attempt, the pause is five minutes: it waits, and counts as failed.
  await expect.poll(async () => (await failing())?.next_attempt_at > soon(), { timeout: 60_000 }).toBe(true)
  const { event_id } = await failing()

  await page.goto(section(customer, "webhooks"))
  const row = page.getByRole("row").filter({ hasText: consumer.url })
  await expect(row).toContainText(/[0-9.]+%/)
  await expect(row).toContainText("It answered 500.")
  await expectAccessible(page)
  await row.getByRole("link").click()
  await expect(page.getByText(/^It answered 500, (just now|.+ ago)$/)).toBeVisible()
  const health = page.getByRole("region", { name: "Health" })
  await expect(health).toContainText("It answered 500.")
  await health.getByText("Attempts per hour as a table").click()
  await expect(health.getByRole("table").getByRole("row").nth(1)).toContainText("2")
  await expectAccessible(page)

  // What was sent, and the answer.
  await page.goto(section(customer, `webhooks/${endpoint_id}/${event_id}`))
  const request = page.getByRole("region", { name: "Request" })
  await expect(request.getByText(event_id, { exact: true }).first()).toBeVisible()
  await expect(request.getByText(/^v1,/)).toBeVisible()
  await expect(request.getByRole("region", { name: "Request body" })).toContainText('"type": "session.opened"')
  await expect(page.getByRole("region", { name: "Response", exact: true })).toContainText("answer 500")
  const attempts = page.getByRole("button", { name: /show this attempt/ })
  await expect(attempts).toHaveCount(2)
  await attempts.last().focus()
  await page.keyboard.press("Enter")
  await expect(attempts.last()).toHaveAttribute("aria-pressed", "true")
  await expectAccessible(page)

  consumer.answer(() => 204)
  const before = consumer.received.length
  await page.goto(section(customer, `webhooks/${endpoint_id}`))
  const rows = page.getByRole("row").filter({ has: page.locator(`a[href*="${endpoint_id}/evt_"]`) })
  await expect(rows.filter({ hasText: "session.opened" })).toContainText("Retrying · 500")
  await showFilters(page)
  await page.getByLabel("Event", { exact: true }).selectOption("session.opened")
  await expect(rows).toHaveCount(1)
  await page.getByRole("button", { name: "Replay failed events" }).click()
  const dialog = page.getByRole("dialog", { name: "Replay failed events" })
  await expect(dialog.getByRole("status")).toHaveText("1 event: 0 failed, 1 retrying.")
  await expectAccessible(page)
  await dialog.getByLabel("Failed events of").selectOption("Since a time…")
  await dialog.getByLabel("Since", { exact: true }).fill("2040-01-01T00:00")
  await expect(dialog.getByRole("status")).toHaveText("Nothing failed in this time.")
  await dialog.getByRole("button", { name: "Replay" }).click()
  await expect(dialog.getByText("No event failed in this time.")).toBeVisible()
  await dialog.getByLabel("Failed events of").selectOption("The last 24 hours")
  await dialog.getByRole("button", { name: "Replay 1 event" }).click()
  await expect(page.getByText("1 event is sent again")).toBeVisible()
  await expect(page.getByText("Replayed 1 event")).toBeVisible()
  expect(consumer.received.slice(before).map(({ id }) => id)).toEqual([event_id])
  await page.getByRole("button", { name: /^Actions for event/ }).click()
  await page.getByRole("menuitem", { name: "Send again" }).click()
  await expect.poll(() => consumer.received.slice(before).map(({ id }) => id)).toEqual([event_id, event_id])
  await expectAccessible(page)
  await api.send("DELETE", `/webhook-endpoint/${endpoint_id}`)
  await consumer.close()
})

/** Later than what is being tried or is tried within the next moments. */
const soon = () => new Date(Date.now() + 60_000).toISOString()

test("a delivery that is retried shows the last answer", async ({ page, customer }) => {
  const url = `http://127.0.0.1:9/${Date.now()}`
  const { endpoint_id } = await customer.api.call("POST", "/webhook-endpoints", { url })
  await customer.api.start({})
  const states = [
    { attempts: 1, last_status_code: 503, last_error: "It answered 503." },
    { attempts: 3, last_status_code: null, last_error: "The connection was refused." },
  ]
  await changeAnswer(page, "webhook.searchDeliveries", ({ data }) => {
    for (const [n, state] of states.entries()) Object.assign(data[n], { status: "pending", ...state })
  })
  await page.goto(section(customer, `webhooks/${endpoint_id}`))
  await expect(page.getByRole("row").filter({ hasText: "Retrying · 503" })).toHaveCount(1)
  await expect(page.getByRole("row").filter({ hasText: "Retrying · connection refused" })).toHaveCount(1)
  await expectAccessible(page)
  await customer.api.send("DELETE", `/webhook-endpoint/${endpoint_id}`)
})

test("a viewer sees the endpoints and their deliveries, but no secret and no button", async ({ as, customer }) => {
  const url = `http://127.0.0.1:9/${Date.now()}`
  const { endpoint_id } = await customer.api.call("POST", "/webhook-endpoints", { url })
  const page = await as("viewer")
  await page.goto(section(customer, "webhooks"))
  // The path of a webhook address is often a secret, so a viewer sees only the host.
  const masked = "http://127.0.0.1:9/***"
  await page.getByRole("link", { name: masked }).first().click()
  await expect(page.getByRole("heading", { level: 1 })).toContainText(masked)
  await expect(page.getByText(url)).toHaveCount(0)
  await expect(page.getByText("Secret", { exact: true })).toHaveCount(0)
  for (const name of ["Edit", "Send test event", "More actions"])
    await expect(page.getByRole("button", { name })).toHaveCount(0)
  await customer.api.send("DELETE", `/webhook-endpoint/${endpoint_id}`)
})
