/**
 * The obvious implementation, for information: the same procedures behind trpc-to-openapi's own fetch handler, called
 * like a web framework's route handler.
 */
import { createServer } from "node:http"
import { Readable } from "node:stream"
import { createOpenApiFetchHandler } from "trpc-to-openapi"
import { connectDatabase } from "#db/client.ts"
import { authenticate } from "#server/domain/accounts/keys/authenticate.ts"
import { newId } from "#server/lib/ids.ts"
import { appRouter } from "#server/trpc/router.ts"

const { PORT, DATABASE_URL = "", POOL, ORIGIN } = process.env
connectDatabase(DATABASE_URL, { max: Number(POOL) })

createServer(async (incoming, response) => {
  const request = new Request(`${ORIGIN}${incoming.url}`, {
    method: incoming.method ?? "GET",
    headers: incoming.headers as Record<string, string>,
  })
  const answer = await createOpenApiFetchHandler({
    req: request,
    endpoint: "/v1",
    router: appRouter,
    createContext: async () => ({
      requestId: newId("req"),
      principal: await authenticate(incoming.headers.authorization),
      transport: "api" as const,
      user: null,
      idempotency: null,
      webhook: null,
      respondAsync: false,
      answer: { status: 200 },
    }),
  })
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body) Readable.fromWeb(answer.body as never).pipe(response)
  else response.end()
}).listen(Number(PORT), "127.0.0.1")

for (const event of ["SIGTERM", "disconnect"]) process.on(event, () => process.exit())
