import type { ServerResponse } from "node:http"
import { z } from "zod"
import { type Principal, requireScope } from "#domain/requests"
import { sendParts } from "#server/lib/parts.ts"
import { readSnapshotCsv } from "./read.ts"

export const snapshotQuery = z.object({ id: z.string().min(1).max(100) })

/**
 * Sends the canonical CSV of a snapshot to a browser: the bytes whose hash is on chain. Errors, before the first byte:
 * insufficient_scope, snapshot_not_found, snapshot_not_ready.
 */
export async function exportSnapshot(
  principal: Principal,
  { id }: z.infer<typeof snapshotQuery>,
  response: ServerResponse,
  principalNow: () => Promise<Principal>,
): Promise<void> {
  requireScope(principal, "token:read")
  await sendParts(response, {
    parts: await readSnapshotCsv(principal, id),
    head: () =>
      response.writeHead(200, {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="${id}.csv"`,
        "Cache-Control": "no-store",
      }),
    requireAccess: async () => requireScope(await principalNow(), "token:read"),
  })
}
