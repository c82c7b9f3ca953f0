import { NAME } from "#server/lib/fields.ts"
import { DEFAULT_PROVIDER, type Settings, SettingsError } from "#server/settings/env.ts"
import { type Mode, modes } from "#shared/mode.ts"
import type { Provider, ProviderDefinition, Values } from "./provider.ts"
import { providers } from "./table.ts"

export type ModeProviders = {
  /** For every schema without its own provider; null if the mode has none. */
  default: Provider | null
  bySchema: ReadonlyMap<string, Provider>
  /** All providers with settings. One that is no longer chosen still finishes the sessions that it began. */
  configured: ReadonlyMap<string, Provider>
}

/**
 * Configures the providers that each mode's settings choose. `generated` are secrets that the server made because the
 * environment lacks them. Throws SettingsError, with a line for each wrong setting.
 */
export function chooseProviders(
  settings: Settings,
  generated: Record<string, string>,
  table: readonly ProviderDefinition[] = providers,
): Record<Mode, ModeProviders> {
  const problems = new Set<string>()
  const chosen = modes.map((mode) => [mode, chooseFor(mode, { settings, generated, table, problems })])
  if (problems.size > 0) throw new SettingsError([...problems])
  return Object.fromEntries(chosen)
}

type Sources = {
  settings: Settings
  generated: Record<string, string>
  table: readonly ProviderDefinition[]
  problems: Set<string>
}

function chooseFor(mode: Mode, sources: Sources): ModeProviders {
  const { settings, problems } = sources
  const variable = mode === "live" ? "VOUCH_LIVE_PROVIDER" : "VOUCH_TEST_PROVIDER"
  const isReal = mode === "live" && settings.VOUCH_PUBLIC_URL !== undefined
  // A test-only provider never decides real cases, whatever the settings say.
  const table = sources.table.filter(({ testOnly }) => !(isReal && testOnly))
  const choice = readChoice(settings[variable] ?? "", (problem) => problems.add(`${variable}: ${problem}`))
  const names = new Set([...choice.bySchema.values(), ...(choice.name === null ? [] : [choice.name])])
  for (const name of names) {
    if (!table.some((one) => one.name === name)) problems.add(`${variable}: ${refusalOf(name, sources.table, table)}`)
  }
  const byDefault = choice.name ?? (isReal ? null : DEFAULT_PROVIDER)
  if (byDefault !== null) names.add(byDefault)
  const configured = new Map<string, Provider>()
  for (const definition of table) {
    const values = valuesOf(definition, mode, sources)
    const result = definition.configure(values.byName)
    if ("provider" in result) {
      const isOfSandbox = result.provider.credentials === "test"
      if (!isReal || !isOfSandbox) configured.set(definition.name, result.provider)
      else if (names.has(definition.name))
        problems.add(
          `${variable}: ${definition.name} has credentials of ${definition.label}'s sandbox, where anyone can pass. A public server needs live credentials for live cases.`,
        )
    } else if (names.has(definition.name)) {
      for (const { name, problem } of result.wrong)
        problems.add(`${values.of(name).variable}: ${problem} (provider ${definition.name})`)
    }
  }
  const bySchema = new Map<string, Provider>()
  for (const [schema, name] of choice.bySchema) {
    const provider = configured.get(name)
    if (provider) bySchema.set(schema, provider)
  }
  return { default: configured.get(byDefault ?? "") ?? null, bySchema, configured }
}

/** `sandbox accredited_investor_v1=other`: a provider for all schemas, and others for single ones. */
function readChoice(text: string, refuse: (problem: string) => void) {
  let name: string | null = null
  const bySchema = new Map<string, string>()
  for (const word of text.split(/\s+/).filter((word) => word !== "")) {
    const [schema, provider, more] = word.split("=")
    if (provider === undefined) {
      if (name !== null) refuse(`names two providers for all schemas, ${name} and ${word}. Keep one.`)
      name = word
    } else if (!NAME.test(schema!) || provider === "" || more !== undefined)
      refuse(`cannot read ${JSON.stringify(word)}. Write schema=provider, such as ${EXAMPLE}.`)
    else if (bySchema.has(schema!)) refuse(`names ${schema} twice. Keep one.`)
    else bySchema.set(schema!, provider)
  }
  return { name, bySchema }
}

const EXAMPLE = `accredited_investor_v1=${DEFAULT_PROVIDER}`

function refusalOf(name: string, all: readonly ProviderDefinition[], allowed: readonly ProviderDefinition[]) {
  const list = allowed.map((one) => one.name).join(", ") || "none yet"
  return all.some((one) => one.name === name)
    ? `${name} does not verify anyone, so it cannot decide live cases of a public server. Choose from: ${list}.`
    : `there is no provider ${JSON.stringify(name)}. Choose from: ${list}.`
}

/** The variables of a provider's setting: one for each mode, and one for both. */
export const variablesOf = (name: string): string[] => [...modes.map((mode) => variableOf(mode, name)), `VOUCH_${name}`]

const variableOf = (mode: Mode, name: string): string => `VOUCH_${mode.toUpperCase()}_${name}`

/** The variable of a setting in a mode: the mode's own if it is set, or else the one for both. */
export function variableIn(mode: Mode, name: string, { environment }: Settings): string {
  const own = variableOf(mode, name)
  return own in environment ? own : `VOUCH_${name}`
}

type Value = { variable: string; value: string | undefined }

/** The values of a definition's settings in a mode, and the variable of each. */
export function valuesOf(
  { settings: names }: ProviderDefinition,
  mode: Mode,
  { settings, generated }: Pick<Sources, "settings" | "generated">,
): { byName: Values; of: (name: string) => Value } {
  const of = (name: string): Value => {
    const [own, both] = [variableOf(mode, name), `VOUCH_${name}`]
    const value = settings.environment[own] ?? settings.environment[both] ?? generated[both]
    return { variable: variableIn(mode, name, settings), value }
  }
  return { byName: Object.fromEntries(names.map((name) => [name, of(name).value])), of }
}
