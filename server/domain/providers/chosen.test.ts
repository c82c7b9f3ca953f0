import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { chooseProviders } from "#server/domain/providers/choose.ts"
import { requireChosenSchemas } from "#server/domain/schemas/chosen.ts"
import { parseSettings } from "#server/settings/env.ts"
import { ACCREDITED, INDIVIDUAL, startWithVendor, table } from "#test/vendor/example-app.ts"

const { vendor, app, key, call, view, goOn, start } = await startWithVendor()

test("each schema uses the provider that is set for it", async () => {
  const form = await start(INDIVIDUAL)
  expect(await view(form.sessionId)).toMatchObject({ provider: { flow: "form" } })
  expect(await goOn(form.sessionId)).toMatchObject({ status: 422, error: { error: "validation_failed" } })
  // The refused request used no quota and recorded no consent.
  const [untouched] = await sql`
    select consented_at, provider_call_until from attestations where session_id = ${form.sessionId}`
  expect(untouched).toEqual({ consented_at: null, provider_call_until: null })
  const away = await start(ACCREDITED)
  const answers = { country: "US", ageOver18: true, accredited: true, decision: "approved" }
  const filled = await call("submit", { sessionId: away.sessionId, consent: true, ...answers })
  expect(filled).toMatchObject({ status: 422, error: { error: "validation_failed" } })
})

test("a session stays with the provider that began it when settings change", async () => {
  const { wallet, sessionId } = await start()
  const before = deployment.providers
  const choose = (environment: Record<string, string>) => {
    deployment.providers = chooseProviders(parseSettings(environment), {}, table)
  }
  try {
    choose({ ...app.settings.environment, VOUCH_TEST_PROVIDER: "sandbox" })
    expect(await view((await start()).sessionId)).toMatchObject({ provider: { flow: "form" } })
    expect((await start(ACCREDITED, wallet)).sessionId).toBe(sessionId)
    expect((await goOn(sessionId)).data.url).toContain(vendor.settings.VOUCH_EXAMPLEID_URL)

    // While its provider has no settings, the session waits.
    choose({ VOUCH_WEBHOOK_SECRET: app.settings.VOUCH_WEBHOOK_SECRET! })
    expect(await goOn(sessionId)).toMatchObject({ status: 503, error: { error: "provider_not_configured" } })
    expect(await vendor.report(sessionId, "passed")).toMatchObject({ status: 404 })
    expect(await view(sessionId)).toMatchObject({ state: "handed_over", provider: { label: "exampleid" } })
  } finally {
    deployment.providers = before
  }
  await vendor.report(sessionId, "passed")
  await app.waitForStatus(key, wallet, "verified")
})

test("a setting for a schema that no workspace has stops the start, with a message that lists the schemas", async () => {
  const { default: common } = deployment.providers.test
  const test = { ...deployment.providers.test, bySchema: new Map([["kyc_individul_v1", common!]]) }
  const refused = requireChosenSchemas({ ...deployment.providers, test })
  await expect(refused).rejects.toThrow(
    /VOUCH_TEST_PROVIDER: there is no schema kyc_individul_v1 in test mode\. Choose from: .*kyc_individual_v1/,
  )
  await expect(requireChosenSchemas(deployment.providers)).resolves.toBeUndefined()
})
