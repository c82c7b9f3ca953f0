import { didYouMean } from "#server/lib/nearest.ts"
import { type Settings, settingNames } from "#server/settings/env.ts"
import { modes } from "#shared/mode.ts"
import { valuesOf, variablesOf } from "./choose.ts"
import type { ProviderDefinition } from "./provider.ts"
import { providers } from "./table.ts"

/**
 * What is set and does nothing, each with its name and never its value: names that nothing reads, and settings by which
 * a provider cannot be configured that nothing chooses. (Those of a chosen one stop the start: see `chooseProviders`.)
 */
export function settingWarnings(
  settings: Settings,
  table: readonly ProviderDefinition[] = providers,
): string[] {
  return [
    ...new Set([
      ...unknownSettings(settings, table),
      ...idle(settings),
      ...table.flatMap((one) => unusable(settings, one)),
    ]),
  ]
}

/** What does something only beside another one. */
function idle(settings: Settings): string[] {
  const { SOLANA_RPC_URL: both, VOUCH_LIVE_SOLANA_RPC_URL: live, VOUCH_TEST_SOLANA_RPC_URL: test } = settings
  const isIdle = {
    SOLANA_SEND_URL: !both && !live && !test,
    VOUCH_LIVE_SOLANA_SEND_URL: !both && !live,
    VOUCH_TEST_SOLANA_SEND_URL: !both && !test,
  }
  return Object.entries(isIdle).flatMap(([name, is]) =>
    is && settings.names.includes(name)
      ? [`${name}: does nothing without ${name.replace("SEND", "RPC")}.`]
      : [],
  )
}

/** Names that belong to a provider by their beginning, or are nearly right. Others may be somebody else's. */
function unknownSettings({ names }: Settings, table: readonly ProviderDefinition[]): string[] {
  const known = new Set([...settingNames, ...table.flatMap((one) => one.settings).flatMap(variablesOf)])
  const others = new Set([...known].filter((name) => /^(?!VOUCH_).*_/.test(name)))
  const beginnings = table.flatMap(({ name }) => variablesOf(`${name.toUpperCase()}_`))
  return names.flatMap((name) => {
    if (known.has(name)) return []
    const bare = name.replace(/^VOUCH_/, "")
    // Every machine has short names of its own, such as HOST, which is not PORT.
    const candidates = bare !== name ? known : others
    const guess = bare !== name && others.has(bare) ? ` Did you mean ${bare}?` : didYouMean(name, candidates)
    const isOfProvider = beginnings.some((beginning) => name.startsWith(beginning))
    return guess !== "" || isOfProvider
      ? [`${name}: there is no such setting, so it does nothing.${guess}`]
      : []
  })
}

/** A value that is wrong in a mode; and what is missing, where other settings are there and no mode has all. */
function unusable(settings: Settings, definition: ProviderDefinition): string[] {
  const wrong = modes.map((mode) => {
    const values = valuesOf(definition, mode, { settings, generated: {} })
    const result = definition.configure(values.byName)
    return "provider" in result ? [] : result.wrong.map((one) => ({ ...one, ...values.of(one.name) }))
  })
  const isConfigured = wrong.some((problems) => problems.length === 0)
  const isSet = definition.settings.flatMap(variablesOf).some((name) => name in settings.environment)
  return wrong
    .flat()
    .filter(({ value }) => value !== undefined || (isSet && !isConfigured))
    .map(
      ({ variable, problem }) =>
        `${variable}: ${problem}. Until then the provider ${definition.name} cannot be chosen, and ends no session that it began.`,
    )
}
