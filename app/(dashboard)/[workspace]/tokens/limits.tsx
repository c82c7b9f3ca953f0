import { Plus } from "lucide-react"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { Card } from "#app/components/frame.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Menu, MenuItem } from "#app/components/ui/menu.tsx"
import { isHeldIn, type RuleName, ruleFields } from "#shared/rules/fields.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { type Draft, emptyDraft } from "./draft.ts"
import { checkedWhen } from "./rule-words.ts"

export type RuleFieldOf = (typeof ruleFields)[number]

const limits = ruleFields.filter(({ rule }) => rule.checked !== "wallet")

/** The limits that are set at first. Few tokens have more than two or three of them. */
const setIn = ({ rules }: Draft): RuleName[] =>
  limits
    .map(({ name }) => name)
    .filter((name) => JSON.stringify(rules[name]) !== JSON.stringify(emptyDraft.rules[name]))

type LimitsProps = { initial: Draft; mode: TransferMode; children: (field: RuleFieldOf) => ReactNode }

/** The fields of the limits that are set, and a menu that adds one of the others. */
export function Limits({ initial, mode, children }: LimitsProps) {
  const [shown, setShown] = useState(() => setIn(initial))
  const [added, setAdded] = useState<RuleName | null>(null)
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (added !== null) {
      const field = fields.current?.querySelector(`[data-limit="${added}"]`)
      field?.querySelector<HTMLElement>("input, select, textarea")?.focus()
    }
  }, [added])
  const offered = limits.filter((field) => !shown.includes(field.name) && isHeldIn(mode, field))
  return (
    <Card
      title="Limits"
      description={checkedWhen.limits[mode]}
      actions={
        offered.length > 0 && (
          <Menu
            trigger={
              <Button>
                <Plus aria-hidden="true" />
                Add a limit
              </Button>
            }
          >
            {offered.map(({ name, label }) => (
              <MenuItem
                key={name}
                onSelect={() => {
                  setShown((before) => [...before, name])
                  setAdded(name)
                }}
              >
                {label}
              </MenuItem>
            ))}
          </Menu>
        )
      }
    >
      {shown.length === 0 ? (
        <p className="text-muted">No limits.</p>
      ) : (
        <div ref={fields} className="grid gap-5 sm:grid-cols-2">
          {limits
            .filter(({ name }) => shown.includes(name))
            .map((field) => (
              <div key={field.name} data-limit={field.name}>
                {children(field)}
              </div>
            ))}
        </div>
      )}
    </Card>
  )
}
