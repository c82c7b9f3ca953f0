import { expect, test } from "vitest"
import { cleanForNext } from "./pages.ts"

const given = (headers: Record<string, string>, url = "/sign-in") => {
  const request = { headers: { ...headers }, url }
  cleanForNext(request)
  return request
}
const state = (tree: unknown) => encodeURIComponent(JSON.stringify(tree))

test("headers of browsers and Next's router, and our policy, reach Next unchanged", () => {
  const headers = {
    host: "localhost",
    cookie: "theme=dark",
    "content-security-policy": "default-src 'self'",
    "if-none-match": '"x"',
    rsc: "1",
    "next-router-prefetch": "1",
    "next-router-segment-prefetch": "/_tree",
    "next-url": "/sign-in",
    "next-router-state-tree": state(["", { children: ["docs", { children: ["__PAGE__", {}] }] }, null, "refetch"]),
  }
  expect(given(headers)).toEqual({ headers, url: "/sign-in" })
})

test.each([
  ...["x-middleware-prefetch", "x-middleware-subrequest", "x-middleware-rewrite", "x-nextjs-data"],
  ...["x-matched-path", "x-invoke-path", "x-invoke-status", "x-now-route-matches", "x-prerender-revalidate"],
  ...["next-resume", "next-action", "x-action-forwarded", "x-forwarded-host", "x-anything-new"],
])("the internal header %s does not reach Next", (name) => {
  expect(given({ host: "localhost", [name]: "1" }).headers).toEqual({ host: "localhost" })
})

test.each([
  ...["", "garbage", "%7B%7D", "%E0%A4%A", "[]", "null", '["",{}],["",{}]', "%5B".repeat(4000)],
  ...[state(["", { children: "x" }]), state(["", {}, null, "whatever"]), state(Array(50_000).fill(0))],
])("an invalid router state (%#) does not reach Next", (tree) => {
  expect(given({ rsc: "1", "next-router-state-tree": tree }).headers).toEqual({ rsc: "1" })
})

test.each(["/_global-error", "/_global-error?_rsc=x", "/a/../_global-error", "/x/%2e%2e/_global-error.rsc"])(
  "Next's error page cannot be requested as %s",
  (url) => {
    expect(given({}, url).url).toBe("/_not-found")
  },
)

test.each(["/", "/sign-in?next=/_global-error", "//x", "/\\x", "/%zz"])("the path %s is unchanged", (url) => {
  expect(given({}, url).url).toBe(url)
})
