import { section, test } from "./dashboard.ts"
import { expect, heading } from "./support.ts"

// How Next treats requests that no browser sends, and requests of its router.

const STATES = ["garbage", "%7B%7D", "%E0%A4%A", "%5B".repeat(4000), "[]"]

for (const [index, state] of STATES.entries()) {
  test(`an invalid router state (${index}) gets the whole page`, async ({ request }) => {
    const headers = { RSC: "1", "Next-Router-State-Tree": state }
    const response = await request.get("/sign-in", { headers })
    expect(response.status()).toBe(200)
    expect(response.headers()["content-type"]).toBe("text/x-component")
  })
}

test("Next's internal headers have no effect in a request", async ({ request }) => {
  const bare = (await (await request.get("/sign-in")).text()).length
  for (const name of ["x-middleware-prefetch", "x-nextjs-data", "x-matched-path", "x-now-route-matches"]) {
    const response = await request.get("/sign-in", { headers: { [name]: "1" } })
    expect(response.status(), name).toBe(200)
    expect((await response.text()).length, name).toBeGreaterThan(bare / 2)
  }
})

test("Next's own error page cannot be requested", async ({ request }) => {
  for (const path of ["/_global-error", "/_global-error.rsc"]) {
    expect((await request.get(path)).status(), path).toBe(404)
  }
})

test("requests of Next's own router for a link are answered", async ({ page, customer, traffic }) => {
  // The router drops the response once it has read what it needs.
  traffic.allow(/net::ERR_ABORTED/)
  const answers: { state: string | undefined; status: number }[] = []
  page.on("response", (response) => {
    const { rsc, "next-router-state-tree": state } = response.request().headers()
    if (rsc !== undefined) answers.push({ state, status: response.status() })
  })
  await page.goto(section(customer, "investors"))
  await expect(heading(page, "Investors")).toBeVisible()
  await page.getByRole("link", { name: "Attestations", exact: true }).first().click()
  await expect(heading(page, "Attestations")).toBeVisible()
  // Next redirects a request (307) if its headers were lost on the way.
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(answers.filter(({ state }) => state !== undefined)).not.toEqual([])
})
