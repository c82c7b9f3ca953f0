import { deployment } from "#server/domain/deployment.ts"
import { variableIn } from "#server/domain/providers/choose.ts"
import type { Provider, SetupStep } from "#server/domain/providers/provider.ts"
import { VendorTrouble } from "#server/domain/providers/vendor-call.ts"
import { type Mode, modes } from "#shared/mode.ts"

/** What there is to say of a provider in a mode. */
export type ProviderCheck = {
  mode: Mode
  provider: string
  label: string
  /** The schemas that it verifies; `all` are those without a provider of their own. */
  verifies: string[]
  /** Null where it cannot be asked: it has no server. */
  ok: boolean | null
  /** What is wrong, and what to do about it; or what to know. */
  problem: string | null
  note: string | null
  setup: SetupStep[]
}

/** Tries the credentials of every configured provider, in one mode or in both. Errors: none; what is wrong is in the result. */
export async function checkProviders(only: Mode | null): Promise<ProviderCheck[]> {
  const found = modes
    .filter((mode) => only === null || mode === only)
    .flatMap((mode) => [...deployment.providers[mode].configured.values()].map((one) => check(mode, one)))
  return Promise.all(found)
}

async function check(mode: Mode, provider: Provider): Promise<ProviderCheck> {
  const { name, label, flow } = provider
  const webhook = `${deployment.origin}/v1/kyc/webhook/${name}`
  const problem = flow.kind === "redirect" ? await problemOf(mode, provider, flow.probe) : null
  return {
    mode,
    provider: name,
    label,
    verifies: verifiedBy(mode, provider),
    ok: flow.kind === "redirect" ? problem === null : null,
    problem,
    note: noteOf(mode, provider),
    setup: provider.setup({ webhook, origin: deployment.origin }),
  }
}

function verifiedBy(mode: Mode, { name }: Provider): string[] {
  const { default: common, bySchema } = deployment.providers[mode]
  const own = [...bySchema].filter(([, provider]) => provider.name === name).map(([schema]) => schema)
  return [...(common?.name === name ? ["all"] : []), ...own]
}

/** Credentials of the other world work as well, and that is what is wrong with them. */
function noteOf(mode: Mode, { label, credentials, testOnly }: Provider): string | null {
  if (testOnly !== null) return testOnly.notice
  if (mode === "test" && credentials === "live")
    return `These are live credentials: each test costs money and checks a real person. Use those of ${label}'s sandbox.`
  if (mode === "live" && credentials === "test")
    return `These are credentials of ${label}'s sandbox, where anybody may pass. With VOUCH_PUBLIC_URL they are refused.`
  return null
}

async function problemOf(mode: Mode, provider: Provider, probe: () => Promise<void>): Promise<string | null> {
  try {
    await probe()
    return null
  } catch (error) {
    if (!(error instanceof VendorTrouble)) throw error
    return sentenceOf(mode, provider, error)
  }
}

/** What went wrong, in a sentence that says what to do. */
function sentenceOf(mode: Mode, { label, settings }: Provider, { status, problem }: VendorTrouble): string {
  const named = (pattern: RegExp) =>
    settings.filter((name) => pattern.test(name)).map((name) => variableIn(mode, name, deployment.settings))
  const keys = named(/^(?!.*WEBHOOK).*(KEY|TOKEN|SECRET)$/).join(", ")
  const address = named(/_(URL|REGION)$/).join(", ")
  if (status === null) {
    if (problem.startsWith("an answer"))
      return `${label} answers with ${problem}: is it ${label} that is there? Check ${address}.`
    return `${label} cannot be reached (${problem}). Check ${address}, and that this machine may call out by HTTPS.`
  }
  if (status === 401 || status === 403)
    return `${label} refuses the credentials (status ${status}). Check ${keys}: they may be of another environment, revoked, or without the permissions that ${label}'s page of the documents names.`
  if (status === 429) return `${label} has had too many requests (status 429). Try again in a minute.`
  if (status >= 500)
    return `${label} is out of order (status ${status}). Try again later; investors' sessions wait for it.`
  if (status === 404 || status < 400)
    return `${label} has no API at that address (status ${status}). Check ${address}.`
  return `${label} refuses the request (status ${status}). Check ${keys} and ${address}.`
}
