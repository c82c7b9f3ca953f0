import { addressOf } from "#db/address.ts"
import { didYouMean } from "#server/lib/did-you-mean.ts"
import { type Settings, SettingsError, settingNames } from "#server/settings/env.ts"
import { isForeignVariable } from "#server/settings/foreign-variables.ts"
import { modes } from "#shared/mode.ts"
import { valuesOf, variablesOf } from "./choose.ts"
import type { ProviderDefinition } from "./provider.ts"
import { providers } from "./table.ts"

/**
 * Settings without effect, by name and never with their value: nearly right names, parameters for other programs, and
 * wrong or incomplete settings of a provider that is not chosen. (`chooseProviders` refuses those of a chosen one.)
 */
export function settingWarnings(settings: Settings, table: readonly ProviderDefinition[] = providers): string[] {
  const ofProviders = table.flatMap((one) => unusable(settings, one))
  return [...new Set([...nearlyKnown(settings), ...ignoredParameters(settings), ...idle(settings), ...ofProviders])]
}

/** Parameters of the database's address that only ORMs and other drivers use. */
const ignoredParameters = (settings: Settings): string[] =>
  (["DATABASE_URL", "DATABASE_DIRECT_URL"] as const).flatMap((name) => {
    const ignored = settings[name] === undefined ? [] : addressOf(settings[name]).ignored
    return ignored.length === 0
      ? []
      : [`${name}: ${ignored.join(", ")} ${ignored.length === 1 ? "is" : "are"} for other programs and ignored.`]
  })

/** Settings that work only together with another one that is missing. */
function idle(settings: Settings): string[] {
  const { SOLANA_RPC_URL: both, VOUCH_LIVE_SOLANA_RPC_URL: live, VOUCH_TEST_SOLANA_RPC_URL: test } = settings
  const isIdle = {
    SOLANA_SEND_URL: !both && !live && !test,
    VOUCH_LIVE_SOLANA_SEND_URL: !both && !live,
    VOUCH_TEST_SOLANA_SEND_URL: !both && !test,
  }
  return Object.entries(isIdle).flatMap(([name, is]) =>
    is && settings.names.includes(name) ? [`${name}: does nothing without ${name.replace("SEND", "RPC")}.`] : [],
  )
}

/**
 * Refuses unknown names that begin with VOUCH_, and suggests the probable name, without the value. Otherwise an
 * operator would believe that a misspelled limit or secret is set. Throws SettingsError.
 */
export function refuseUnknownSettings(
  { environment }: Settings,
  table: readonly ProviderDefinition[] = providers,
): void {
  const known = new Set([...settingNames, ...table.flatMap((one) => one.settings).flatMap(variablesOf)])
  const unknown = Object.entries(environment).filter(
    ([name, value]) => !known.has(name) && !isForeignVariable(name, value),
  )
  if (unknown.length === 0) return
  throw new SettingsError(
    unknown.map(([name]) => {
      const bare = name.replace(/^VOUCH_/, "")
      const guess = known.has(bare) ? ` Did you mean ${bare}?` : didYouMean(name, known)
      return `${name}: there is no such setting.${guess || " .env.example lists them all"}`
    }),
  )
}

/** Names without VOUCH_ that are nearly right. They may belong to another program. */
function nearlyKnown({ names }: Settings): string[] {
  // Only names with an underscore: machines set short ones such as HOST, which is not a misspelled PORT.
  const candidates = settingNames.filter((name) => /^(?!VOUCH_).*_/.test(name))
  return names.flatMap((name) => {
    if (name.startsWith("VOUCH_") || settingNames.includes(name)) return []
    const guess = didYouMean(name, candidates)
    return guess === "" ? [] : [`${name}: there is no such setting, so it does nothing.${guess}`]
  })
}

/** Wrong values in a mode. Also missing ones, if the provider has some settings but no mode has them all. */
function unusable(settings: Settings, definition: ProviderDefinition): string[] {
  const wrong = modes.map((mode) => {
    const values = valuesOf(definition, mode, { settings, generated: {} })
    const result = definition.configure(values.byName)
    return "provider" in result ? [] : result.wrong.map((one) => ({ ...one, ...values.of(one.name) }))
  })
  const isConfigured = wrong.some((problems) => problems.length === 0)
  const isSet = definition.settings.flatMap(variablesOf).some((name) => name in settings.environment)
  const until = `Until then the provider ${definition.name} cannot be chosen, and cannot finish sessions that it began.`
  return wrong
    .flat()
    .filter(({ value }) => value !== undefined || (isSet && !isConfigured))
    .map(({ variable, problem }) => `${variable}: ${problem}. ${until}`)
}
