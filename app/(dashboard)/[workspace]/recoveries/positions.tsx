import { TokenName, TokenSymbol } from "#app/(dashboard)/[workspace]/tokens/token-name.tsx"
import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Icon } from "#app/components/icons.tsx"
import { grouped } from "#shared/amount.ts"
import { type RuleCode, ruleOf } from "#shared/rules/rules.ts"

export type RecoveryView = RouterOutputs["recovery"]["view"]
export type Recovery = RecoveryView["recovery"]
type Position = Recovery["positions"][number]

/** What keeps a position from moving, and what to do. */
const blocks: { [code in RuleCode]?: string } = {
  mint_paused:
    "The token is paused, or its balances are being read from the chain. It moves once the token is resumed.",
  wallet_sanctioned: "The new wallet is on a screening list. Clear the match under Reviews, or choose another wallet.",
  wallet_barred: "The new wallet was reported as lost, too. Choose another wallet.",
  wallet_frozen: "The new wallet is frozen. Unfreeze it on the investor’s page, or choose another wallet.",
  wallet_not_verified: "The new wallet does not have the verification that this token requires. Verify it first.",
}

const blockOf = (code: RuleCode): string => blocks[code] ?? `The rule “${ruleOf(code)?.name ?? code}” does not pass.`

/** What a lost wallet holds of each token, and how far it has moved. `isStatic` leaves out the progress. */
export function Positions({ positions, isStatic = false }: { positions: Position[]; isStatic?: boolean }) {
  if (positions.length === 0) return <p className="text-muted">The lost wallet holds no tokens.</p>
  return (
    <ul className="-my-3 divide-y divide-line">
      {positions.map((position) => (
        <li key={position.mint_config} className="py-3">
          <Row of={position} isStatic={isStatic} />
        </li>
      ))}
    </ul>
  )
}

function Row({ of, isStatic }: { of: Position; isStatic: boolean }) {
  const { mint_config, amount, held, status, operation_id, blocked_by } = of
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <To path={["tokens", mint_config]} className="min-w-0 rounded-sm font-medium wrap-anywhere hover:underline">
          <TokenName id={mint_config} />
        </To>
        <span className="ml-auto flex items-baseline gap-3">
          <span className="font-medium tabular-nums">
            {grouped(amount)} <TokenSymbol id={mint_config} />
          </span>
          {!isStatic && <StatusBadge status={status} />}
        </span>
      </div>
      <div className="flex flex-wrap justify-between gap-x-4 text-[13px] text-muted">
        <span>{held !== "0" && `${grouped(held)} of it held. The holds move with the tokens.`}</span>
        {operation_id !== null && (
          <To path={["tokens", mint_config, "operations", operation_id]}>Open the operation</To>
        )}
      </div>
      {blocked_by !== null && (
        <p className="mt-1.5 flex items-start gap-2 text-[13px] text-notice">
          <Icon name="alert" className="mt-0.5 size-4 shrink-0" />
          <span>
            <span className="font-medium">Blocked.</span> {blockOf(blocked_by)}
          </span>
        </p>
      )}
    </>
  )
}
