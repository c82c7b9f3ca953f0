import type { Operation, OperationDetail } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { type Step, Steps } from "#app/(dashboard)/steps.tsx"
import { NewTab } from "#app/components/link.tsx"
import { isForced } from "#shared/movements.ts"

type OperationStepsProps = { operation: Operation; detail: OperationDetail | undefined }

export const OperationSteps = ({ operation, detail }: OperationStepsProps) => (
  <Steps steps={stepsOf(operation, detail)} />
)

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
