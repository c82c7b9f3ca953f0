import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { Vouch, type VouchOptions } from "#client/index.ts"

type Asked = { method: string; path: string; headers: IncomingMessage["headers"]; body: string }
type Answer = (response: ServerResponse, asked: Asked) => void

/** A server that sends a test's responses in order and repeats the last one. It ends with the test. */
export async function serve(...answers: Answer[]) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    const one = { method: request.method!, path: request.url!, headers: request.headers, body }
    asked.push(one)
    answers[Math.min(asked.length, answers.length) - 1]!(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  return {
    asked,
    baseUrl,
    stop,
    client: (options: Partial<VouchOptions> = {}) =>
      new Vouch({ baseUrl, apiKey: "vouch_test_4MpXbW9sYt2KcQvLhRz7JdK8vPq3mNbR5tYw2L0", ...options }),
  }
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** A file. With a length that is not its own, the download breaks off. */
export const csv =
  (file: string, length = file.length): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/csv; charset=utf-8", "content-length": length })
    response.write(file, () => (length === file.length ? response.end() : response.destroy()))
  }

export const failure = (status: number, error: string, headers?: Record<string, string>): Answer =>
  json(status, { error, detail: "Do something.", request_id: "req_4MpXbW9sYt2KcQvLhRz7Jd" }, headers)

export const cut: Answer = (response) => void response.destroy()
