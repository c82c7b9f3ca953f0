import { type ReactNode, useState } from "react"
import { useApi, useDebounced, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { Api } from "#app/api.ts"
import { FieldGroup, Form, SelectField, Submit, TextField } from "#app/components/form.tsx"
import { Card } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Refused } from "#app/components/problem.ts"
import { buttonLook } from "#app/components/ui/button.tsx"
import { RadioCard } from "#app/components/ui/radio-card.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { isHeldIn, ruleFields } from "#shared/rules/fields.ts"
import { transferModes } from "#shared/transfer-modes.ts"
import { completeRules, configOf, type Draft, suggestId, suggestSymbol } from "./draft.ts"
import { Limits, type RuleFieldOf } from "./limits.tsx"
import { RuleField } from "./rule-field.tsx"
import { RuleList } from "./rule-list.tsx"
import { checkedWhen } from "./rule-words.ts"
import { modeWords } from "./use-token.ts"

type Config = ReturnType<typeof configOf>
type Issue = { field: string; detail: string }

type ConfigFormProps = {
  initial: Draft
  isNew: boolean
  /** Whether the mint is on chain, which fixes its name, symbol and decimals permanently. */
  isMinted: boolean
  submit: string
  cancelHref: string
  onSubmit: (api: Api, config: Config) => Promise<unknown>
  children?: (draft: Draft) => ReactNode
}

/** A token and its rules. The server's checks run while fields are entered, and its errors appear at their fields. */
export function ConfigForm({ initial, isNew, isMinted, submit, cancelHref, onSubmit, children }: ConfigFormProps) {
  const api = useApi()
  const [draft, setDraft] = useState(initial)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  /** Fields that the member filled in, which no longer follow the name. */
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const { issues, keep } = useIssues(draft, isNew)

  const touch = (name: string) => setTouched((before) => new Set([...before, name]))
  function change<Name extends Exclude<keyof Draft, "rules">>(name: Name, value: Draft[Name]) {
    setDraft((before) => {
      const after = { ...before, [name]: value }
      if (name !== "name" || !isNew) return after
      return {
        ...after,
        ...(!own.has("id") && { id: suggestId(after.name) }),
        ...(!own.has("symbol") && { symbol: suggestSymbol(after.name) }),
      }
    })
    touch(name)
  }
  const entered = (name: Exclude<keyof Draft, "rules">) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => change(name, target.value),
  })
  /** The server's error for a field, shown once the field was visited. */
  const problemAt = (name: string) => {
    if (!touched.has(name) && !(name === "id" && touched.has("name"))) return undefined
    const issue = issues.find((one) => one.field === name || one.field.startsWith(`${name}.`))
    return issue && sentence(issue.detail)
  }
  const ruleField = (field: RuleFieldOf) => (
    <RuleField
      key={field.name}
      field={field}
      value={draft.rules[field.name]}
      onChange={(value) => {
        setDraft((before) => ({ ...before, rules: { ...before.rules, [field.name]: value } }))
        touch(`rules.${field.name}`)
      }}
      error={problemAt(`rules.${field.name}`)}
      isOff={!isHeldIn(draft.transfer_mode, field)}
    />
  )
  const zone = useTimeZone()
  // Then none of the token's own fields can change.
  const isFixed = isMinted && !isNew

  return (
    <Form
      onSubmit={async () => {
        setTouched(new Set([...Object.keys(draft), ...ruleFields.map(({ name }) => `rules.${name}`)]))
        const config = configOf(draft, zone)
        const { issues } = await api.mintConfig.check.query({ config, is_new: isNew })
        const [first] = issues
        keep(config, issues)
        // The form shows it at its field and moves the focus there.
        if (first) throw new Refused(`${first.field.replace(/\.(\d+|[A-Z]{2})$/, "")}: ${first.detail}`)
        await onSubmit(api, config)
      }}
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem] [&_:is(input,select,button)]:scroll-mb-24">
        <div className="space-y-6">
          {!isFixed && (
            <Card title="Token">
              <div className="grid gap-4 sm:grid-cols-2">
                <TextField
                  name="name"
                  label="Name"
                  required
                  error={problemAt("name")}
                  hint="Shown by wallets."
                  {...entered("name")}
                  autoComplete="off"
                />
                <TextField
                  name="symbol"
                  label="Symbol"
                  required
                  error={problemAt("symbol")}
                  hint="1 to 10 letters, digits and periods."
                  {...entered("symbol")}
                  onChange={({ target }) => {
                    setOwn((before) => new Set([...before, "symbol"]))
                    change("symbol", target.value)
                  }}
                  autoComplete="off"
                  spellCheck={false}
                />
                <TextField
                  name="id"
                  label="Configuration id"
                  required
                  error={problemAt("id")}
                  hint={isNew ? "Used in the API. Cannot be changed." : "Used in the API."}
                  {...entered("id")}
                  onChange={({ target }) => {
                    setOwn((before) => new Set([...before, "id"]))
                    change("id", target.value)
                  }}
                  disabled={!isNew}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  className="font-mono sm:text-[13px]"
                />
                <SelectField
                  name="decimals"
                  label="Decimals"
                  error={problemAt("decimals")}
                  hint="Digits after the decimal point; 0 for whole tokens."
                  {...entered("decimals")}
                  options={Array.from({ length: 10 }, (_, decimals) => [decimals, String(decimals)] as const)}
                />
              </div>
            </Card>
          )}

          <Card title="Who moves tokens">
            <FieldGroup name="transfer_mode" legend={<span className="sr-only">Transfer mode</span>}>
              <div className="grid gap-3 sm:grid-cols-2">
                {transferModes.map((mode) => (
                  <RadioCard
                    key={mode}
                    name="transfer_mode"
                    value={mode}
                    checked={draft.transfer_mode === mode}
                    onChange={() => change("transfer_mode", mode)}
                    title={modeWords[mode].name}
                  >
                    <span className="block">{modeWords[mode].summary}</span>
                    <span className="mt-1 block text-[13px] text-muted">{modeWords[mode].chain}</span>
                  </RadioCard>
                ))}
              </div>
            </FieldGroup>
          </Card>

          <Card title="Who may hold" description={checkedWhen.wallets[draft.transfer_mode]}>
            <div className="space-y-5">
              <SchemaField {...entered("required_schema")} error={problemAt("required_schema")} />
              {ruleFields.filter(({ rule }) => rule.checked === "wallet").map(ruleField)}
            </div>
          </Card>

          <Limits initial={initial} mode={draft.transfer_mode}>
            {ruleField}
          </Limits>
        </div>
        <Card title="Summary" className="lg:sticky lg:top-20">
          <RuleList
            schema={draft.required_schema}
            rules={completeRules(configOf(draft, zone).rules)}
            transferMode={draft.transfer_mode}
          />
        </Card>
      </div>

      {children?.(draft)}

      <div className="sticky bottom-0 z-10 flex justify-end gap-2 border-t border-line bg-(--canvas) py-3">
        <Link href={cancelHref} prefetch={false} className={buttonLook()}>
          Cancel
        </Link>
        <Submit>{submit}</Submit>
      </div>
    </Form>
  )
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

type SchemaFieldProps = {
  value: string
  onChange: (event: { target: { value: string } }) => void
  error: string | undefined
}

function SchemaField({ value, onChange, error }: SchemaFieldProps) {
  const { data } = useQuery("schema.list", {})
  const schemas = data?.data ?? [{ id: value, name: value }]
  return (
    <SelectField
      name="required_schema"
      label="Verified for"
      error={error}
      hint="The check that a wallet must have passed. All other wallets are refused."
      value={value}
      onChange={onChange}
      options={schemas.map(({ id, name }) => [id, name === id ? id : `${name} (${id})`] as const)}
    />
  )
}

/**
 * What the server would refuse in the draft, checked when typing pauses. An error of a field that has changed since is left
 * out. The answer to a submit replaces the last check at once (`keep`).
 */
function useIssues(draft: Draft, isNew: boolean) {
  const config = configOf(draft, useTimeZone())
  const text = JSON.stringify(config)
  const [kept, setKept] = useState<Checked | null>(null)
  const [checked, setChecked] = useState<Checked | null>(null)
  const settled = useDebounced(text, 400)
  const { data } = useQuery("mintConfig.check", { config: JSON.parse(settled), is_new: isNew })
  if (data && checked?.issues !== data.issues) setChecked({ text: settled, issues: data.issues })
  const last = kept?.text === text ? kept : checked
  return {
    issues:
      last?.issues.filter(({ field }) => isSame(valueAt(JSON.parse(last.text), field), valueAt(config, field))) ?? [],
    keep: (config: Config, issues: readonly Issue[]) => setKept({ text: JSON.stringify(config), issues }),
  }
}

type Checked = { text: string; issues: readonly Issue[] }

/** The value of a field, or of the rule that it belongs to. */
function valueAt(config: Config, field: string): unknown {
  const [name = "", rule = ""] = field.split(".")
  const of = config as Record<string, unknown>
  return name === "rules" ? (of.rules as Record<string, unknown>)[rule] : of[name]
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
