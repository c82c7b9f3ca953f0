import { expect, test } from "vitest"
import { forNext } from "./page-request.ts"

const given = (headers: Record<string, string>, url = "/sign-in") => {
  const request = { headers: { ...headers }, url }
  forNext(request)
  return request
}
const state = (tree: unknown) => encodeURIComponent(JSON.stringify(tree))

test("a browser's headers, its router's, and our policy reach Next as they are", () => {
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
])("%s, which Next would believe, does not reach it", (name) => {
  expect(given({ host: "localhost", [name]: "1" }).headers).toEqual({ host: "localhost" })
})

test.each([
  ...["", "garbage", "%7B%7D", "%E0%A4%A", "[]", "null", '["",{}],["",{}]', "%5B".repeat(4000)],
  ...[state(["", { children: "x" }]), state(["", {}, null, "whatever"]), state(Array(50_000).fill(0))],
])("a router's state that Next cannot read (%#) does not reach it", (tree) => {
  expect(given({ rsc: "1", "next-router-state-tree": tree }).headers).toEqual({ rsc: "1" })
})

test.each(["/_global-error", "/_global-error?_rsc=x", "/a/../_global-error", "/x/%2e%2e/_global-error.rsc"])(
  "nobody is shown Next's page of failures at %s",
  (url) => {
    expect(given({}, url).url).toBe("/_not-found")
  },
)

test.each(["/", "/sign-in?next=/_global-error", "//x", "/\\x", "/%zz"])("%s stays what it is", (url) => {
  expect(given({}, url).url).toBe(url)
})
