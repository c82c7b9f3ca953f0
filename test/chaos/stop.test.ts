import { once } from "node:events"
import { readFileSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import { afterEach, expect, test } from "vitest"
import { signal } from "#server/embedded/process.ts"
import { send } from "../fixtures/http.ts"
import { newCustomers } from "./customers.ts"
import { createDeployment, type Deployment, until } from "./deployment.ts"
import { isFree } from "./ports.ts"
import { processesOf } from "./processes.ts"

let deployment: Deployment
afterEach(() => deployment.destroy())

test("after SIGTERM, a request in progress completes, every process ends, and acknowledged data is kept", async () => {
  deployment = await createDeployment()
  const { dataDir, port, localnetPort, origin } = deployment
  const server = deployment.startServer()
  await deployment.ready(server)
  const apiKey = await deployment.createKey()
  const customers = newCustomers(deployment, { apiKey, total: 1 })
  const begun = await beginRequest(port, apiKey, customers.cases[0]!.wallet)

  signal(server.pid, "SIGTERM")
  await until("the port to close", () =>
    send(origin, { method: "GET", path: "/health" }).then(
      () => false,
      () => true,
    ),
  )
  const { status, session } = await begun.finish()
  expect(status).toBe(200)
  expect(await server.exited).toBe(0)
  expect(processesOf(dataDir)).toEqual([])
  expect(await Promise.all([port, localnetPort, localnetPort + 1].map(isFree))).toEqual([true, true, true])

  await deployment.ready(deployment.startServer())
  const { json } = await customers.read("/attestations")
  expect(json.data).toMatchObject([{ session_id: session, user_pubkey: customers.cases[0]!.wallet }])
})

test.runIf(process.platform === "linux")(
  "a server of built pages does not load the compiler",
  async () => {
    deployment = await createDeployment()
    const server = deployment.startServer()
    await deployment.ready(server)
    expect((await fetch(`${deployment.origin}/sign-in`)).status).toBe(200)
    const libraries = readFileSync(`/proc/${server.pid}/maps`, "utf8")
    expect(libraries).toContain("bufferutil")
    expect(libraries).not.toContain("next-swc")
  },
  120_000,
)

test("SIGTERM during a start ends the server just as cleanly", async () => {
  deployment = await createDeployment()
  const { dataDir } = deployment
  const server = deployment.startServer()
  await until("the first of its processes", () => processesOf(dataDir).length > 0)
  signal(server.pid, "SIGTERM")
  expect(await server.exited, server.output()).toBe(0)
  expect(processesOf(dataDir)).toEqual([])
})

/** A request whose headers the server has read and whose body has not been sent. */
async function beginRequest(port: number, apiKey: string, wallet: string) {
  const body = JSON.stringify({ userPubkey: wallet, schemaId: "kyc_individual_v1" })
  const begun = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/v1/kyc/start",
    agent: false,
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "content-length": body.length,
      expect: "100-continue",
    },
  })
  begun.flushHeaders()
  await once(begun, "continue")
  return {
    async finish() {
      begun.end(body)
      const [response] = (await once(begun, "response")) as [IncomingMessage]
      let text = ""
      for await (const chunk of response) text += String(chunk)
      return { status: response.statusCode, session: JSON.parse(text).session_id as string }
    },
  }
}
