import type { AddressInfo } from "node:net"
import { createServer, type Socket } from "node:net"
import { expect, test } from "vitest"
import { tracer } from "#server/lib/trace.ts"
import { startTestApp } from "#test/fixtures/app.ts"

/** Accepts connections and never answers. */
async function startSilent() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test.each(["silent", "gone"])(
  "with a collector that is %s, requests are answered and the server stops",
  async (how) => {
    const silent = await startSilent()
    if (how === "gone") await silent.close()
    const app = await startTestApp({
      VOUCH_ROLE: "web",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${silent.url}/v1/traces`,
      OTEL_TRACES_SAMPLER: "always_on",
    })
    const key = await app.key()
    for (let i = 0; i < 20; i++)
      expect((await app.request({ method: "GET", path: "/usage", key: key.apiKey })).status).toBe(200)
    await app.stop()
    if (how === "silent") await silent.close()
    expect(tracer).toBeNull()
  },
)

test("nothing is traced without a collector", async () => {
  const app = await startTestApp({ VOUCH_ROLE: "web", OTEL_TRACES_SAMPLER: "always_on" })
  expect(tracer).toBeNull()
  await app.stop()
})
