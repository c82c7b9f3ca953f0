import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "#db/client.ts"
import { decideReview } from "#server/domain/reviews/decide.ts"
import { newId } from "#server/lib/ids.ts"
import { permissionsOf } from "#shared/roles.ts"
import { newWallet, type TestApp, waitFor } from "./app.ts"
import { member } from "./people.ts"

export type TestList = Awaited<ReturnType<typeof testList>>

/** A list of wallets in a folder of its own, replaced as an operator does: written beside it, and moved into place. */
export async function testList(name = "ofac.txt", wallets: readonly string[] = [newWallet()]) {
  const folder = await mkdtemp(join(tmpdir(), "vouch-screening-"))
  const path = join(folder, name)
  const writeText = async (text: string) => {
    await writeFile(`${path}.new`, text)
    await rename(`${path}.new`, path)
  }
  const write = (listed: readonly string[]) => writeText(`# ${name}\n${listed.join("\n")}\n`)
  await write(wallets)
  return { name, path, write, writeText, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** What /health says of screening. */
export async function screeningHealth(app: TestApp) {
  const { json } = await app.request({ method: "GET", path: "/health" })
  return { check: json.checks.screening as string | undefined, lists: json.screening }
}

/** Until the server goes by a list of so many addresses. */
export const waitForEntries = (app: TestApp, entries: number, name = "ofac.txt") =>
  waitFor(async () => {
    const { lists } = await screeningHealth(app)
    return lists?.some(
      (list: { name: string; entries: number }) => list.name === name && list.entries === entries,
    )
  }, `the list to have ${entries} addresses`)

/** An account with a compliance officer, who decides reviews, and a key of its test workspace. */
export async function officerOf(app: TestApp) {
  const { account, email, workspaceId } = await member(app)
  const key = await app.key({ account })
  const [user] = await sql<{ id: string; name: string }[]>`select id, name from users where email = ${email}`
  const principal = {
    workspaceId,
    mode: "test" as const,
    scopes: permissionsOf("owner"),
    via: { kind: "user" as const, userId: user!.id, name: user!.name, role: "owner" as const },
  }
  const decide = async (reviewId: string, decision: "clear" | "revoke") => {
    const [review] = await sql<{ version: number }[]>`select version from reviews where id = ${reviewId}`
    return decideReview(
      { principal, requestId: newId("req"), reviewId, version: review!.version },
      { decision, reason: "Looked at by hand", publicReason: null, claims: null },
    )
  }
  return { key, principal, decide }
}
