import { z } from "zod"
import { country, countryName, recordedCountry, recordedCountryName, time, wholeNumber } from "#server/lib/fields.ts"
import type { FieldOf, FieldType, JsonOf } from "#shared/rules/define.ts"
import { type RulesJson, ruleFields } from "#shared/rules/fields.ts"

const UNITS = /^(0|[1-9][0-9]{0,19})(\.[0-9]{1,9})?$/

type Schemas = { [T in FieldType]: (field: FieldOf<T>) => z.ZodType<JsonOf<T>> }

/** What a request may contain in a field of each type. */
const requested: Schemas = {
  countries: () => z.array(country).min(1).max(250),
  amount: () =>
    z
      .string()
      .refine((text) => UNITS.test(text) && /[1-9]/.test(text), {
        error: 'must be a decimal string of more than zero, such as "1000000"',
      })
      .meta({ pattern: UNITS.source }),
  count: ({ min, max }) => wholeNumber(min, max),
  countryCounts: ({ min, max }) =>
    z
      .record(countryName, wholeNumber(min, max))
      .refine((caps) => Object.keys(caps).length > 0, "must name a country, such as JP"),
  regionDays: ({ min, max }) => z.strictObject({ us: wholeNumber(min, max), non_us: wholeNumber(min, max) }),
  flag: () => z.boolean(),
  time: () => time,
}

/** What a response may contain. An old configuration that names an unknown country must still be readable. */
const recorded: Schemas = {
  ...requested,
  countries: () => z.array(recordedCountry),
  countryCounts: ({ min, max }) => z.record(recordedCountryName, wholeNumber(min, max)),
}

type Shape = { [N in keyof RulesJson]-?: z.ZodOptional<z.ZodType<Exclude<RulesJson[N], undefined>>> }

const shapeOf = (schemas: Schemas) =>
  Object.fromEntries(
    ruleFields.map(({ name, description, example, ...field }) => {
      const schema = schemas[field.type] as (field: unknown) => z.ZodType
      return [name, schema(field).optional().meta({ description, example })]
    }),
  ) as Record<string, z.ZodType> as Shape

/** The same fields, each nullable. */
const patchable = Object.fromEntries(
  Object.entries(shapeOf(requested)).map(([name, rule]) => [
    name,
    rule
      .unwrap()
      .nullable()
      .optional()
      .meta({ ...rule.meta(), description: `${rule.meta()?.description}; null removes the rule` }),
  ]),
) as { [N in keyof Shape]: z.ZodOptional<z.ZodNullable<ReturnType<Shape[N]["unwrap"]>>> }

const description = "Every rule is optional; a rule that is left out does not apply"

/** `rules` of a configuration in a request and in a response. */
export const rulesInput = z.strictObject(shapeOf(requested)).meta({ id: "MintRulesRequest", description })
/** `rules` of a change: fields that are not named stay unchanged. */
export const rulesPatch = z.strictObject(patchable).meta({
  id: "MintRulesChangeRequest",
  description: "A rule that is left out stays unchanged; null removes it",
})
export const rulesRecord = z.object(shapeOf(recorded)).meta({ id: "MintRules", description })
