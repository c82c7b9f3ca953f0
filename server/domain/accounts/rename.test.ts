import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

test("an owner renames the account, and the audit log has the old and the new name", async () => {
  const owner = await member(app)
  const name = `Acme ${newId("acct")}`
  expect((await owner.browser.mutate("workspace.renameAccount", { name })).data).toEqual({ name })
  expect((await owner.browser.query("workspace.get")).data.account.name).toBe(name)
  expect((await owner.browser.query("me.get")).data.workspaces[0].account).toBe(name)
  await owner.browser.mutate("workspace.renameAccount", { name })
  const lines = await sql`
    select detail from audit_entries where account_id = ${owner.account.id} and action = 'account.renamed'`
  expect(lines.map(({ detail }) => detail)).toEqual([{ before: owner.account.name, after: name }])
})

test("no one else can rename it, and no two accounts have the same name", async () => {
  const owner = await member(app)
  const other = await member(app)
  const developer = await member(app, { role: "developer", account: owner.account })
  const name = `Acme ${newId("acct")}`
  expect((await developer.browser.mutate("workspace.renameAccount", { name })).error.error).toBe("insufficient_scope")
  const taken = await owner.browser.mutate("workspace.renameAccount", { name: other.account.name })
  expect([taken.status, taken.error.error]).toEqual([409, "account_exists"])
  expect(taken.error.detail).toMatch(/^name: /)
  for (const bad of ["", "a\u0000b", "x".repeat(101)]) {
    expect((await owner.browser.mutate("workspace.renameAccount", { name: bad })).status).toBe(422)
  }
  expect((await owner.browser.query("workspace.get")).data.account.name).toBe(owner.account.name)
})
