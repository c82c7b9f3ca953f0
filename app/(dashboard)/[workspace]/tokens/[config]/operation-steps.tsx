import type { ReactNode } from "react"
import type { Operation, OperationDetail } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Icon, Spinner } from "#app/components/icons.tsx"
import { NewTab } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import type { IconName } from "#shared/icons.ts"
import { isForced } from "#shared/movements.ts"

type Step = {
  name: string
  at: string | null
  state: "done" | "current" | "ahead" | "failed"
  note?: ReactNode
}

export function OperationSteps({ operation, detail }: { operation: Operation; detail: OperationDetail | undefined }) {
  const steps = stepsOf(operation, detail)
  const current = steps.findLast(({ state }) => state !== "ahead")!
  return (
    <>
      <p role="status" className="sr-only">
        {current.name}
      </p>
      <ol className="space-y-4">
        {steps.map((step) => (
          <li key={step.name} className="flex gap-3" aria-current={step.state === "current" ? "step" : undefined}>
            <Sign state={step.state} />
            <div className="min-w-0">
              <p className={step.state === "ahead" ? "text-muted" : "font-medium"}>{step.name}</p>
              {step.at && (
                <p className="text-[13px] text-muted">
                  <Timestamp at={step.at} />
                </p>
              )}
              {step.note && <div className="mt-0.5 text-[13px] text-muted">{step.note}</div>}
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

const signs = {
  done: { icon: "check", look: "bg-accent-soft text-accent" },
  failed: { icon: "cross", look: "bg-danger-soft text-danger" },
  ahead: { icon: "clock", look: "bg-sunken text-muted" },
} as const satisfies Record<string, { icon: IconName; look: string }>

function Sign({ state }: { state: Step["state"] }) {
  const round = "flex size-6 shrink-0 items-center justify-center rounded-full"
  if (state === "current") {
    return (
      <span className={`${round} bg-notice-soft text-notice`}>
        <Spinner className="size-4" />
      </span>
    )
  }
  const { icon, look } = signs[state]
  return (
    <span className={`${round} ${look}`}>
      <Icon name={icon} className="size-3.5" />
    </span>
  )
}

function stepsOf(operation: Operation, detail: OperationDetail | undefined): Step[] {
  const { kind, status, created_at, error } = operation
  const transaction = detail?.transaction ?? null
  const begun: Step = {
    name: "Accepted",
    at: created_at,
    state: "done",
    note: isForced(kind) ? "The rules allowed it; the amount is reserved." : "All rules passed; limits reserved.",
  }
  const signed: Step = {
    name: "Signed and sent",
    at: transaction?.signed_at ?? null,
    state: transaction || status === "confirmed" || status === "submitted" ? "done" : "ahead",
  }
  if (status === "queued") {
    const refused = detail?.last_refusal
    const note = detail?.redo
      ? "It was confirmed, then disappeared from the chain with its slot. Vouch will repeat it."
      : refused
        ? `The chain refused it (${refused}). Vouch will send it again.`
        : "Waiting to be signed."
    return [begun, { ...signed, state: "current", note }, { name: "Confirmed", at: null, state: "ahead" }]
  }
  if (status === "submitted") {
    const note = transaction?.in_doubt
      ? "No node can say yet whether it is on chain. Vouch keeps checking and does not sign it again until it knows."
      : "The chain has not confirmed it yet."
    return [begun, signed, { name: "Confirmed", at: null, state: "current", note }]
  }
  if (status === "confirmed") {
    const final = operation.finalized_at
    return [
      begun,
      signed,
      { name: "Confirmed", at: operation.confirmed_at, state: "done" },
      final
        ? { name: "Final", at: final, state: "done" }
        : {
            name: "Final",
            at: null,
            state: "ahead",
            note: "Final in a few seconds. Until then the chain could still undo it.",
          },
    ]
  }
  return [
    begun,
    ...(transaction ? [signed] : []),
    {
      name: "Failed",
      at: detail?.finished_at ?? null,
      state: "failed",
      note: error && (
        <>
          {error.detail}{" "}
          <NewTab href={`/docs/errors/${error.error}`} className="font-mono text-ink underline underline-offset-2">
            {error.error}
          </NewTab>
        </>
      ),
    },
  ]
}
