import { build } from "esbuild"
import { Webhook } from "standardwebhooks"
import { expect, test } from "./support.ts"

test("the client runs in a page without a key, and with one only if allowed", async ({ page, traffic }) => {
  traffic.allow(/401 \(Unauthorized\)/)
  const { outputFiles } = await build({
    entryPoints: ["client/src/index.ts"],
    bundle: true,
    format: "iife",
    globalName: "client",
    platform: "browser",
    write: false,
  })
  const secret = `whsec_${Buffer.from("x".repeat(32)).toString("base64")}`
  const body = JSON.stringify({ id: "evt_1", sequence: 1, type: "token.paused", occurred_at: "", data: {} })
  const at = new Date()
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", at, body),
  }
  await page.goto("/docs")
  await page.evaluate(`${outputFiles[0]!.text}; window.client = client`)
  const said = await page.evaluate(
    async ({ secret, body, headers, apiKey }) => {
      const { Vouch, unwrapEvent } = (window as unknown as { client: typeof import("#client/index.ts") }).client
      const baseUrl = location.origin
      const open = new Vouch({ baseUrl })
      const refusal = (work: () => unknown) => {
        try {
          work()
          return "nothing"
        } catch (error) {
          return (error as Error).message
        }
      }
      return {
        health: (await open.getHealth()).status,
        event: (await unwrapEvent(body, headers, secret)).type,
        forged: await unwrapEvent(`${body} `, headers, secret).then(
          () => "believed",
          (error) => error.name,
        ),
        withKey: refusal(() => new Vouch({ baseUrl, apiKey })),
        meant: refusal(() => new Vouch({ baseUrl, apiKey, dangerouslyAllowBrowser: true })),
        withoutKey: await open.getKey().catch((error) => error.code),
      }
    },
    { secret, body, headers, apiKey: `vouch_test_${"x".repeat(38)}` },
  )
  expect(said).toEqual({
    health: "ok",
    event: "token.paused",
    forged: "WebhookError",
    withKey: expect.stringContaining("everyone can read a key in a page"),
    meant: "nothing",
    withoutKey: "missing_api_key",
  })
})
