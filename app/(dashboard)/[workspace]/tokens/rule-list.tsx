import { clsx } from "clsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { To } from "#app/(dashboard)/workspace.tsx"
import { Icon } from "#app/components/icons.tsx"
import { timeIn } from "#app/components/timestamp.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { type RulesJson, summariesOf } from "#shared/rules/fields.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { modeWords } from "./use-token.ts"

type RuleListProps = {
  schema: string
  rules: RulesJson
  transferMode: TransferMode
  /** In small rows on a wide screen, with the explanation of the transfer mode folded. */
  dense?: boolean
}

/** Who may hold a token, its limits and who moves it, in sentences. */
export function RuleList({ schema, rules, transferMode, dense = false }: RuleListProps) {
  const zone = useTimeZone()
  const mode = modeWords[transferMode]
  return (
    <>
      <ul
        className={clsx(
          "space-y-2.5 text-sm",
          dense && "md:columns-2 md:gap-x-8 md:space-y-1.5 md:text-[13px] md:*:break-inside-avoid",
        )}
      >
        <Rule>
          Only wallets that are verified for{" "}
          <To path={["schemas", schema]}>
            <SchemaName id={schema} />
          </To>
          .
        </Rule>
        {summariesOf(rules, { now: new Date(), formatTime: (time) => timeIn(zone, time) }).map(({ name, text }) => (
          <Rule key={name}>{text}</Rule>
        ))}
      </ul>
      <div className={clsx(dense && "md:hidden")}>
        <p className="mt-4 border-t border-line pt-4 text-sm">
          <span className="font-medium">{mode.name}.</span> {mode.summary}
        </p>
        <p className="mt-1 text-[13px] text-muted">{mode.chain}</p>
      </div>
      {dense && (
        <details className="mt-2 text-[13px] max-md:hidden">
          <summary className="cursor-pointer">
            <span className="font-medium">{mode.name}.</span> {mode.summary}
          </summary>
          <p className="mt-1 text-muted">{mode.chain}</p>
        </details>
      )}
    </>
  )
}

const Rule = ({ children }: { children: React.ReactNode }) => (
  <li className="flex gap-2.5">
    <Icon name="check" className="mt-0.5 size-4 text-accent" />
    <span className="min-w-0">{children}</span>
  </li>
)
