import { expect, test, vi } from "vitest"
import { forgetRecent, isObject, recentPaths, rememberPath } from "./recent.ts"

const stored = new Map<string, string>()
vi.stubGlobal(
  "localStorage",
  new Proxy(
    {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    },
    {
      ownKeys: () => [...stored.keys()],
      getOwnPropertyDescriptor: (_, name) => ({
        value: stored.get(String(name)),
        enumerable: true,
        configurable: true,
      }),
    },
  ),
)

const id = "inv_7YbVnQ2tKxWcR5sMpLd8Hf"

test("only pages of objects are remembered, each once and newest first", () => {
  for (const path of ["overview", "investors", `investors/${id}`, "tokens/us_fund_v1", "tokens/new-token", "settings"])
    rememberPath("ws_1", "user_1", path)
  expect(recentPaths("ws_1", "user_1")).toEqual(["tokens/us_fund_v1", `investors/${id}`])
  rememberPath("ws_1", "user_1", `investors/${id}`)
  expect(recentPaths("ws_1", "user_1")).toEqual([`investors/${id}`, "tokens/us_fund_v1"])
  for (let n = 0; n < 20; n++) rememberPath("ws_1", "user_1", `tokens/fund_${n}`)
  expect(recentPaths("ws_1", "user_1")).toHaveLength(6)
})

test("another user or workspace sees nothing of it, and signing out forgets all of it", () => {
  rememberPath("ws_2", "user_1", `investors/${id}`)
  expect(recentPaths("ws_2", "user_2")).toEqual([])
  expect(recentPaths("ws_3", "user_1")).toEqual([])
  stored.set("vouch.recent.ws_4", "{")
  expect(recentPaths("ws_4", "user_1")).toEqual([])
  stored.set("vouch.workspace", "ws_2")
  forgetRecent()
  expect([...stored.keys()]).toEqual(["vouch.workspace"])
})

test("an address with anything but ids is no object", () => {
  for (const path of ["investors/emma-larsson", "attestations/att_1?q=emma", `webhooks/${id}/evt_1`, "sessions/sess_1"])
    expect([path, isObject(path)]).toEqual([path, false])
  for (const path of ["logs/req_1", "recoveries/rec_1", "tokens/fund/operations/op_1"])
    expect([path, isObject(path)]).toEqual([path, true])
})
