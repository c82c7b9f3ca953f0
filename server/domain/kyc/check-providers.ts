import { deployment } from "#domain/deployment"
import { type Provider, VendorTrouble, variableIn } from "#domain/providers"
import { type Mode, modes } from "#shared/mode.ts"

export type ProviderCheck = Awaited<ReturnType<typeof check>>

/** Tries the credentials of every configured provider. Problems are in the result, not thrown. */
export async function checkProviders(only: Mode | null): Promise<ProviderCheck[]> {
  const found = modes
    .filter((mode) => only === null || mode === only)
    .flatMap((mode) => [...deployment.providers[mode].configured.values()].map((one) => check(mode, one)))
  return Promise.all(found)
}

/** The state of a provider: what is wrong and how to fix it, or a note. */
async function check(mode: Mode, provider: Provider) {
  const { name, label, flow } = provider
  const webhook = `${deployment.origin}/v1/kyc/webhook/${name}`
  const trouble = flow.kind === "redirect" ? await flow.probe().then(() => null, troubleIn) : null
  const problem = trouble && sentenceOf(mode, provider, trouble)
  return {
    mode,
    provider: name,
    label,
    verifies: verifiedBy(mode, provider),
    /** Null for a provider without a server to ask. */
    ok: flow.kind === "redirect" ? problem === null : null,
    problem,
    note: noteOf(mode, provider),
    setup: provider.setup({ webhook, origin: deployment.origin }),
  }
}

/** The schemas that it verifies. `all` means those that do not name a provider. */
function verifiedBy(mode: Mode, { name }: Provider): string[] {
  const { default: common, bySchema } = deployment.providers[mode]
  const own = [...bySchema].filter(([, provider]) => provider.name === name).map(([schema]) => schema)
  return [...(common?.name === name ? ["all"] : []), ...own]
}

/** Warns about credentials of the other environment: they work, so the check alone would not notice. */
function noteOf(mode: Mode, { label, credentials, testOnly }: Provider): string | null {
  if (testOnly !== null) return testOnly.notice
  if (mode === "test" && credentials === "live")
    return `These are live credentials: each test costs money and checks a real person. Use credentials of ${label}'s sandbox.`
  if (mode === "live" && credentials === "test")
    return `These are credentials of ${label}'s sandbox, where anyone can pass. They are refused if VOUCH_PUBLIC_URL is set.`
  return null
}

function troubleIn(error: unknown): VendorTrouble {
  if (error instanceof VendorTrouble) return error
  throw error
}

function sentenceOf(mode: Mode, { label, settings }: Provider, { status, problem }: VendorTrouble): string {
  const named = (pattern: RegExp) =>
    settings.filter((name) => pattern.test(name)).map((name) => variableIn(mode, name, deployment.settings))
  const keys = named(/^(?!.*WEBHOOK).*(KEY|TOKEN|SECRET)$/).join(", ")
  const address = named(/_(URL|REGION)$/).join(", ")
  if (status === null) {
    if (problem.startsWith("an answer"))
      return `${label} answers with ${problem}, so this may not be ${label}'s server. Check ${address}.`
    return `${label} cannot be reached (${problem}). Check ${address}, and that this machine can make outgoing HTTPS requests.`
  }
  if (status === 401 || status === 403)
    return `${label} refuses the credentials (status ${status}). Check ${keys}: they may belong to another environment, be revoked, or lack the permissions that Vouch's documentation of ${label} lists.`
  if (status === 429) return `${label} has received too many requests (status 429). Try again in a minute.`
  if (status >= 500)
    return `${label} has a problem (status ${status}). Try again later. Investors' sessions wait for it.`
  if (status === 404 || status < 400) return `${label} has no API at that address (status ${status}). Check ${address}.`
  return `${label} refuses the request (status ${status}). Check ${keys} and ${address}.`
}
