import { beforeAll, expect, test } from "vitest"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { commandSettings, runNode, runCommandOnApp as vouch } from "#test/fixtures/vouch-command.ts"

usesCustomer({ key: { plan: "growth" } })
const settings = commandSettings()
beforeAll(async () => {
  await app.verifiedWallet(key)
  await tokens.config()
})

const vouchProcess = (...args: string[]) => {
  const { VOUCH_SIGNER, VOUCH_DATA_KEY } = app.settings
  const ofApp = { DATABASE_URL: app.databaseUrl, VOUCH_SIGNER: VOUCH_SIGNER!, VOUCH_DATA_KEY: VOUCH_DATA_KEY! }
  return runNode(["server/cli.ts", ...args], { ...settings, ...ofApp })
}

test("a workspace gets another key while the server runs, with progress, and both keys are shown", async () => {
  const { workspaceId } = key
  const before = JSON.parse((await vouch("--json", "signer", "show", workspaceId)).stdout)
  expect(before).toMatchObject({ uri: "derived:", mints: 2, moved: 2, earlier: [] })
  const { exitCode, stdout, stderr } = await vouchProcess("signer", "set", workspaceId, "derived:2")
  expect({ exitCode, stdout }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("All 2 mints use it."),
  })
  expect(stderr).toMatch(/2 of 2 mints moved/)
  const after = JSON.parse((await vouch("--json", "signer", "show", workspaceId)).stdout)
  expect(after).toMatchObject({ uri: "derived:2", mints: 2, moved: 2 })
  expect(after.earlier).toEqual([{ address: before.authority, uri: "derived:" }])
})

test("an unusable key changes nothing and the reason is shown", async () => {
  const { workspaceId } = key
  const problems: [string[], RegExp][] = [
    [["set", workspaceId, "vault:https://vault.example.com/x"], /Nothing was changed: the path must be/],
    [["set", workspaceId, "file:/nowhere.json"], /Nothing was changed: .*cannot be read: ENOENT/],
    [["set", "ws_unknown", "derived:"], /No workspace has the id ws_unknown/],
  ]
  for (const [args, sentence] of problems) {
    const { exitCode, stderr } = await vouch("signer", ...args)
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(sentence)
  }
})

test("a workspace pays with its own fee payer, and then with its mode's again", async () => {
  const { workspaceId } = key
  const shown = async () => JSON.parse((await vouch("--json", "signer", "show", workspaceId)).stdout).fee_payers
  const set = await vouch("--json", "signer", "set", workspaceId, "derived:", "--role", "fee-payer")
  const { fee_payer } = JSON.parse(set.stdout)
  expect(await shown()).toMatchObject([{ address: fee_payer, uri: "derived:", pays: "now" }])
  // The embedded network funds it.
  await app.verifiedWallet(key)
  const { stdout } = await vouch("signer", "unset", workspaceId)
  expect(stdout).toContain(`From now on the fee payer of its mode pays for ${workspaceId}`)
  expect(await shown()).toMatchObject([{ address: fee_payer, pays: "before" }])
  const wrong = await vouch("signer", "set", workspaceId, "derived:", "--role", "treasury")
  expect(wrong.exitCode).toBe(2)
})

test("the fee payers of each mode are shown", async () => {
  const { fee_payers } = JSON.parse((await vouch("--json", "signer", "show")).stdout)
  expect(fee_payers).toMatchObject([
    { mode: "live", workspace: null, uri: "derived:" },
    { mode: "test", workspace: null, uri: "derived:" },
    { mode: "test", workspace: key.workspaceId, uri: "derived:" },
  ])
})

test("what the first data key sealed stays unchanged", async () => {
  const { exitCode, stdout } = await vouch("data-key", "reseal")
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: "0 values sealed with the new key. Nothing is sealed with another key.\n",
  })
})
