import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Page } from "@playwright/test"
import { changeAnswer } from "./answers.ts"
import { origin } from "./api.ts"
import { expect, expectAccessible, heading, section, showFilters, test } from "./dashboard.ts"

/** Runs a command from the page in a shell, like a user. */
async function runInShell(command: string): Promise<{ status: number; body: string; requestId: string }> {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command} -s -i`])
  const [head = "", body = ""] = stdout.split("\r\n\r\n")
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    body,
    requestId: /^x-request-id: (\S+)/im.exec(head)?.[1] ?? "",
  }
}

/** Creates a key in the page. Returns the secret and the page's command. */
async function createKey(page: Page, name: string, scopes: "All" | "Read only" = "All") {
  await page.getByRole("button", { name: "Create key", exact: true }).click()
  const dialog = page.getByRole("dialog", { name: "Create an API key" })
  await expect(dialog.getByLabel("Name")).toBeFocused()
  await expect(dialog.getByRole("button", { name: "Create key" })).toBeInViewport({ ratio: 1 })
  await page.keyboard.type(name)
  await dialog.getByRole("button", { name: scopes, exact: true }).click()
  await dialog.getByRole("button", { name: "Create key" }).click()
  return readSecret(page, `${name} is ready`)
}

async function readSecret(page: Page, title: string) {
  const dialog = page.getByRole("dialog", { name: title })
  const apiKey = await dialog.getByRole("region", { name: "API key" }).textContent()
  const command = await dialog.getByRole("region", { name: "Try it" }).textContent()
  return { dialog, apiKey: apiKey!, command: command! }
}

const store = async (page: Page) => {
  await page.getByRole("checkbox", { name: "I have stored this key" }).check()
  await page.getByRole("button", { name: "Done" }).click()
}

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name })
const chooseAction = async (page: Page, name: string, action: string) => {
  await page.getByRole("button", { name: `Actions for ${name}` }).click()
  await page.getByRole("menuitem", { name: action }).click()
}

test("a key created in the page works with curl, is shown once, and the log has its request", {
  tag: ["@journey", "@phone"],
}, async ({ page, customer }) => {
  await page.goto(section(customer, "keys"))
  await expect(heading(page, "API keys")).toBeVisible()
  const { dialog, apiKey, command } = await createKey(page, "Shop")
  await expectAccessible(page)
  const answer = await runInShell(command)
  expect(answer.status).toBe(200)
  expect(answer.body).toContain("kyc_individual_v1")

  // The secret stays until the user confirms that they stored it.
  for (let i = 0; i < 3; i++) await page.keyboard.press("Escape")
  await expect(dialog.getByRole("alert")).toContainText("Confirm that you stored the key")
  await expect(page.getByRole("checkbox", { name: "I have stored this key" })).toBeFocused()
  await page.mouse.click(5, 5)
  await dialog.getByRole("button", { name: "Close" }).click()
  await dialog.getByRole("button", { name: "Done" }).click()
  await expect(dialog).toBeVisible()
  await store(page)
  await expect(dialog).toBeHidden()
  await expect(row(page, "Shop")).toContainText("Active")
  expect(await page.content()).not.toContain(apiKey)

  await page.goto(section(customer, "logs"))
  await page.getByLabel("Search", { exact: true }).fill(answer.requestId)
  await expect(page.getByRole("row")).toHaveCount(2)
  await expect(page).toHaveURL(new RegExp(`path=${answer.requestId}`))
  await expectAccessible(page)
  await page.getByRole("row").nth(1).getByRole("link").click()
  await expect(page.getByRole("heading", { level: 1 })).toContainText("GET /schemas")
  await expect(page.getByText(`${apiKey.slice(0, 15)}…`)).toBeVisible()
  await expect(page.getByText("Responses of successful GET requests are not stored")).toBeVisible()
  expect(await page.content()).not.toContain(apiKey.slice(15))
  await expectAccessible(page)
})

test("the log of a refused request has its masked body and links to the error's page and the subject", async ({
  page,
  customer,
}) => {
  const body = { userPubkey: "invalid", schemaId: "kyc_individual_v1", externalId: "jane" }
  expect((await customer.api.send("POST", "/kyc/start", body)).status).toBe(422)
  await page.goto(section(customer, "logs"))
  await page.getByLabel("Status").selectOption("4xx")
  await expect(page).toHaveURL(/status=4xx/)
  await page.getByRole("row").filter({ hasText: "invalid_public_key" }).getByRole("link").first().click()
  const sent = page.getByRole("region", { name: "Body", exact: true })
  await expect(sent).toContainText('"externalId": "[masked]"')
  await expect(sent).not.toContainText("jane")
  await expect(page.getByRole("region", { name: "Response body" })).toContainText("invalid_public_key")
  await expect(page.getByRole("link", { name: "invalid_public_key" })).toHaveAttribute(
    "href",
    "/docs/errors/invalid_public_key",
  )
  await expectAccessible(page)
  await page.goBack()
  await page.getByRole("button", { name: "Clear" }).click()
  await page.getByLabel("Search", { exact: true }).fill("/nowhere")
  await expect(page.getByText("No matching requests")).toBeVisible()
})

test("a key is rotated and revoked in the page, and the audit log has both", { tag: "@phone" }, async ({
  page,
  customer,
}) => {
  await page.goto(section(customer, "keys"))
  const first = await createKey(page, "Backend", "Read only")
  await store(page)
  await chooseAction(page, "Backend", "Rotate")
  await page.getByRole("button", { name: "Rotate key" }).click()
  await readSecret(page, "Backend has a new secret")
  await store(page)
  await expect(row(page, "Backend")).toContainText(/Its old secret works until \d/)
  await chooseAction(page, "Backend", "Rotate")
  await page.getByLabel(/The old secret/).selectOption({ label: "Revoke it now" })
  await expectAccessible(page)
  await page.getByRole("button", { name: "Rotate key" }).click()
  const next = await readSecret(page, "Backend has a new secret")
  expect((await runInShell(first.command)).status).toBe(401)
  expect((await runInShell(next.command)).status).toBe(200)
  await store(page)

  await chooseAction(page, "Backend", "Revoke")
  const revoke = page.getByRole("alertdialog", { name: "Revoke Backend" })
  await revoke.getByRole("button", { name: "Revoke key" }).click()
  await expect(revoke.getByText(/^Type .* to continue/)).toBeVisible()
  await revoke.getByRole("textbox").fill(next.apiKey.slice(0, 15))
  await expectAccessible(page)
  await revoke.getByRole("button", { name: "Revoke key" }).click()
  await expect(revoke).toBeHidden()
  expect((await runInShell(next.command)).status).toBe(401)
  await expect(row(page, "Backend")).toHaveCount(0)
  await page.getByRole("checkbox", { name: /^Show \d+ revoked/ }).check()
  await expect(row(page, "Backend")).toContainText("Revoked")

  await page.goto(section(customer, "audit"))
  await expect(heading(page, "Audit log")).toBeVisible()
  await showFilters(page)
  await page.getByLabel("What").selectOption({ label: "API keys" })
  for (const did of ["created", "replaced the secret of", "revoked"])
    await expect(page.getByText(`Olivia Owner ${did} the API key Backend`).first()).toBeVisible()
  await expectAccessible(page)
})

test("a schema is created and its validity changed", async ({ page, customer, traffic }) => {
  // An id that already exists.
  traffic.allow(/409/)
  await page.goto(section(customer, "schemas"))
  await page.getByRole("button", { name: "Create schema" }).click()
  const dialog = page.getByRole("dialog", { name: "Create a schema" })
  await dialog.getByLabel("Id", { exact: true }).fill("kyc_individual_v1")
  await dialog.getByLabel("Name").fill("Residency")
  await dialog.getByLabel("Valid for (days)").fill("30")
  await dialog.getByRole("button", { name: "Create schema" }).click()
  await expect(dialog).toContainText("The schema kyc_individual_v1 already exists")
  const id = `residency_${Math.random().toString(36).slice(2, 8)}`
  await dialog.getByLabel("Id", { exact: true }).fill(id)
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Create schema" }).click()
  await expect(row(page, id)).toContainText("30 days")
  await row(page, id).getByRole("button", { name: "Edit Residency" }).click()
  await page.getByLabel("Valid for (days)").fill("1")
  await page.getByRole("button", { name: "Save" }).click()
  await expect(row(page, id)).toContainText("1 day")
  await expectAccessible(page)
})

test("a viewer reads keys, logs, schemas and the audit log, and is refused every change by page and server", async ({
  as,
  customer,
}) => {
  await customer.api.call("GET", "/usage")
  const page = await as("viewer")
  for (const path of ["keys", "logs", "schemas", "audit"]) {
    await page.goto(section(customer, path))
    await expect(page.getByRole("table")).toBeVisible()
    await expect(page.getByRole("row").nth(1)).toBeVisible()
    await expect(page.getByRole("button", { name: /^(Create|Edit|Change|Actions)/ })).toHaveCount(0)
    await expectAccessible(page)
  }
  const ask = (procedure: string, data: object) =>
    page.request.post(`/api/trpc/${procedure}`, {
      data,
      headers: {
        "x-vouch-workspace": customer.workspaces.test,
        origin,
      },
    })
  for (const answer of [
    await ask("key.create", { name: "mine", scopes: ["kyc:read"] }),
    await ask("schema.create", { id: "mine_v1", name: "Mine", validity_days: 1 }),
  ]) {
    expect(answer.status()).toBe(403)
    expect(await answer.text()).toContain("insufficient_scope")
  }
})

test("a key without a scope shows an error at the scopes, with the focus, until one is chosen", async ({
  page,
  customer,
}) => {
  await page.goto(section(customer, "keys"))
  await page.getByRole("button", { name: "Create key", exact: true }).click()
  const dialog = page.getByRole("dialog", { name: "Create an API key" })
  const create = dialog.getByRole("button", { name: "Create key" })
  const refusal = dialog.getByRole("alert")
  const scopes = dialog.getByRole("group", { name: "Scopes" })

  await create.click()
  // The first of two wrong fields has the focus, and both show their error.
  await expect(dialog.getByLabel("Name")).toBeFocused()
  await expect(refusal).toHaveText("Select at least one scope.")
  await dialog.getByLabel("Name").fill("Shop")
  for (let attempt = 0; attempt < 2; attempt++) {
    await create.click()
    await expect(scopes.getByRole("checkbox").first()).toBeFocused()
    await expect(refusal).toHaveText("Select at least one scope.")
    await expect(scopes).toHaveAccessibleDescription("Select at least one scope.")
  }
  await expectAccessible(page)

  await dialog.getByRole("button", { name: "Read only" }).click()
  await expect(refusal).toBeHidden()
  await create.click()
  await expect(page.getByRole("dialog", { name: "Shop is ready" })).toBeVisible()
})

test("beyond the day's budget the log says what is not kept, in the list and on a request's page", async ({
  page,
  customer,
}) => {
  const { requestId } = await customer.api.send("GET", "/attestation/att_nowhere")
  await changeAnswer(page, "request.list", (data) => {
    Object.assign(data, { used_up: { mib_per_day: 256, until: "2026-01-03T00:00:00Z" } })
  })
  await changeAnswer(page, "request.get", (data) => {
    Object.assign(data, { is_whole: false, headers: {}, request_body: null, response_body: null })
  })
  await page.goto(section(customer, "logs"))
  await expect(page.getByText("This workspace’s log has used its 256 MiB for today.")).toBeVisible()
  await expectAccessible(page)
  await page.goto(section(customer, `logs/${requestId}`))
  await expect(page.getByText("Headers and bodies were not kept")).toBeVisible()
  await expectAccessible(page)
})

test("each key shows its requests as bars with a text, leads to them in the log, and says if it is unused", {
  tag: "@phone",
}, async ({ page, customer }) => {
  await page.goto(section(customer, "keys"))
  await createKey(page, "Never called")
  await store(page)
  await expect(row(page, "Never called")).toContainText("Not used yet")
  const called = page.getByRole("row").filter({ has: page.getByText("Called", { exact: true }) })
  const used = await createKey(page, "Called")
  await store(page)
  expect((await runInShell(used.command)).status).toBe(200)
  expect((await runInShell(used.command.replace("/schemas", "/nowhere"))).status).toBe(404)
  await expect(async () => {
    await page.reload()
    await expect(called).toContainText("2 requests", { timeout: 2000 })
  }).toPass()
  await expect(called).toContainText("50% errors")
  await expect(called.getByRole("img")).toHaveCount(0)
  await changeAnswer(page, "key.usage", ({ data }) => {
    for (const { requests } of data) requests[0] = 4
  })
  await page.reload()
  await expect(called.getByRole("img")).toHaveAccessibleName(
    /^6 requests in the last 30 days, 17% errors, most on \d+ \w+: 4$/,
  )
  await expectAccessible(page)
  await called.getByRole("link", { name: "6 requests of Called in the log" }).click()
  await expect(heading(page, "Logs")).toBeVisible()
  await expect(page.getByRole("table", { name: "Requests" }).getByRole("row")).toHaveCount(3)
})

test("copying a new key confirms that it is stored, unless the browser refuses the clipboard", async ({
  page,
  context,
  customer,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await page.goto(section(customer, "keys"))
  const stored = page.getByRole("checkbox", { name: "I have stored this key" })
  const copy = page.getByRole("button", { name: "Copy api key" })
  const done = page.getByRole("button", { name: "Done" })
  const { dialog, apiKey } = await createKey(page, "Copied")
  // Copying the command to try the key stores nothing.
  await page.getByRole("button", { name: "Copy try it" }).click()
  await expect(dialog.getByRole("status").filter({ hasText: "Copied" })).toHaveCount(1)
  await expect(stored).not.toBeChecked()
  await copy.click()
  await expect(stored).toBeChecked()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(apiKey)
  await stored.uncheck()
  await done.click()
  await expect(dialog.getByRole("alert")).toContainText("Confirm that you stored the key")
  await copy.click()
  await expect(dialog.getByRole("alert")).toHaveCount(0)
  await done.click()
  await expect(dialog).toBeHidden()

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))
  })
  await chooseAction(page, "Copied", "Rotate")
  await page.getByRole("button", { name: "Rotate key" }).click()
  const next = (await readSecret(page, "Copied has a new secret")).dialog
  await copy.click()
  await expect(next.getByText("Select the text to copy it")).toBeAttached()
  await expect(stored).not.toBeChecked()
  await store(page)
  await expect(next).toBeHidden()
})
