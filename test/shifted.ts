import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { TestApp } from "./app.ts"
import { freePorts } from "./free-ports.ts"
import { send } from "./http.ts"

export type ShiftedServer = Awaited<ReturnType<typeof startShiftedServer>>

/** Another replica of a test app's deployment: a process of its own, whose clock is off by so many seconds. */
export async function startShiftedServer(
  app: TestApp,
  offsetSeconds: number,
  changes: Record<string, string> = {},
) {
  const { VOUCH_SIGNER, VOUCH_DATA_KEY, VOUCH_WEBHOOK_SECRET } = app.settings
  const port = await freePorts(1)
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const child = spawn(
    process.execPath,
    [
      "--import",
      join(import.meta.dirname, "shifted-clock.mjs"),
      join(import.meta.dirname, "shifted-server.ts"),
    ],
    {
      cwd: join(import.meta.dirname, ".."),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: {
        ...{
          PATH,
          HOME,
          NODE_COMPILE_CACHE,
          NODE_ENV: "production",
          PORT: String(port),
          CLOCK_OFFSET_MS: String(offsetSeconds * 1000),
        },
        ...{ VOUCH_SIGNER, VOUCH_DATA_KEY, VOUCH_WEBHOOK_SECRET: String(VOUCH_WEBHOOK_SECRET) },
        ...{ VOUCH_RATE_LIMIT: "0", VOUCH_LOCALNET_SLOT_MS: app.settings.VOUCH_LOCALNET_SLOT_MS.toString() },
        ...{ DATABASE_URL: app.databaseUrl, LOCALNET_URL: app.chain.url },
        ...changes,
      } as NodeJS.ProcessEnv,
    },
  )
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream!.on("data", (chunk) => void output.push(String(chunk)))
  const exited = once(child, "exit")
  const heard = async (wanted: string) => {
    const gone = exited.then(() => Promise.reject(new Error(`The server ended: ${output.join("")}`)))
    for (;;) {
      const [message] = (await Promise.race([once(child, "message"), gone])) as [unknown]
      if (message === wanted) return
    }
  }
  await heard("ready")
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    output: () => output.join(""),
    request: (sent: Parameters<typeof send>[1]) => send(origin, sent),
    health: async () => (await send(origin, { method: "GET", path: "/health" })).json,
    /** Resolves when it says so the next time. */
    heard,
    signal: (signal: "SIGSTOP" | "SIGCONT") => void child.kill(signal),
    /** Ends it without a word. */
    async kill(): Promise<void> {
      child.kill("SIGKILL")
      await exited
    },
    /** Sets its clock, as NTP or a person does. */
    setClock: (seconds: number) => void child.send({ offset_ms: seconds * 1000 }),
    /** One whole round of its housekeeping. */
    async sweep(): Promise<void> {
      const swept = heard("swept")
      child.send({ sweep: true })
      await swept
    },
    async stop(): Promise<void> {
      child.kill("SIGTERM")
      await exited
    },
  }
}
