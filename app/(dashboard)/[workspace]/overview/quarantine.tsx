import { useId } from "react"
import type { RouterOutputs } from "#app/api.ts"
import { Icon } from "#app/components/icons.tsx"

type Quarantine = NonNullable<RouterOutputs["overview"]["get"]["ledger"]["quarantine"]>

const copy: Record<Quarantine["of"], { title: string; why: string; next: string }> = {
  mode: {
    title: "Minting is on hold while Vouch compares its records with the chain",
    why: "The database was restarted or restored. Nothing is signed until Vouch knows what is already on chain.",
    next: "This usually ends by itself within minutes. If it does not, ask the administrator of this server to run `vouch ledger reconcile`: it shows what is missing.",
  },
  workspace: {
    title: "Minting is on hold until an administrator decides",
    why: "After a restore, the chain has transactions that your records do not explain. Nothing is signed for this workspace until they are resolved.",
    next: "Ask the administrator of this server to run `vouch ledger reconcile`: it lists the transactions and the ways to go on.",
  },
}

/** Why nothing is being signed, what that means, and what to do. */
export function QuarantineBanner({ quarantine: { of, reason } }: { quarantine: Quarantine }) {
  const id = useId()
  const { title, why, next } = copy[of]
  return (
    <section
      aria-labelledby={id}
      className="flex gap-2.5 rounded-xl border border-notice-line bg-notice-soft p-4 text-sm text-notice"
    >
      <Icon name="alert" className="mt-0.5 size-4" />
      <div className="min-w-0 space-y-1.5 wrap-anywhere">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <p>{why}</p>
        {of === "mode" && (
          <p>
            Status: <WithCommands>{reason}</WithCommands>.
          </p>
        )}
        <p>
          You can still read everything and revoke. A revocation counts in Vouch at once, and reaches the chain when
          signing resumes. Minting, transfers and approvals are refused: retry them later.
        </p>
        <p>
          <WithCommands>{next}</WithCommands>
        </p>
      </div>
    </section>
  )
}

/** A sentence with commands between backticks. */
export const WithCommands = ({ children }: { children: string }) =>
  children.split("`").map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      <code key={part} className="font-mono text-[13px] whitespace-nowrap">
        {part}
      </code>
    ),
  )
