import { useEffect, useRef } from "react"
import { TransactionLink } from "#app/(dashboard)/transaction-drawer.tsx"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { FormError } from "#app/components/form.tsx"
import { Icon } from "#app/components/icons.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import type { IconName } from "#shared/icons.ts"
import type { Check } from "./checks.ts"

type Detail = RouterOutputs["attestation"]["detail"]

const stateWords = {
  held: "The wallet holds the credential, a frozen token that proves the verification.",
  removing: "The credential is being removed from the wallet.",
  destroyed: "The credential was destroyed: the wallet no longer holds it.",
  replaced: "Replaced by a renewal: the wallet holds the credential of a later attestation.",
  absent: "The wallet no longer holds the credential.",
} as const satisfies Record<NonNullable<Detail["credential"]>["state"], string>

/** The facts on chain, which anyone who has the record can check. */
export function Proof({ attestation }: { attestation: Detail }) {
  const { onchain, onchain_tx, memo, slot, explorer, credential } = attestation
  if (onchain === null || onchain_tx === null || credential === null) {
    return (
      <Card title="On-chain proof">
        <p className="text-muted">
          {attestation.status === "pending"
            ? "Not on chain yet. After the provider's approval, the credential is issued to the wallet."
            : "Never issued on chain."}
        </p>
      </Card>
    )
  }
  const address = (value: string, what: string) => (
    <span className="flex flex-wrap items-center gap-x-3">
      <Copyable value={value} what={what} compact />
      {explorer && (
        <a
          href={explorer.replace("{}", `address/${value}`)}
          target="_blank"
          rel="noopener noreferrer"
          className="text-[13px] text-accent underline"
        >
          Explorer
          <span className="sr-only"> shows the {what} (opens a new tab)</span>
        </a>
      )}
    </span>
  )
  return (
    <Card
      title="On-chain proof"
      description={`${stateWords[credential.state]} The chain holds nothing personal, only a fingerprint of the record.`}
      actions={<TransactionLink signature={onchain_tx} explorer={explorer} />}
    >
      <Facts
        facts={{
          Network: onchain.cluster,
          "Issued in": <Copyable value={onchain_tx} what="transaction signature" compact />,
          Slot: slot,
          Final: attestation.finalized_at ? (
            <Timestamp at={attestation.finalized_at} />
          ) : (
            <span className="text-muted">Final in a few seconds. Until then the chain could still undo it.</span>
          ),
          "Destroyed in": credential.state === "destroyed" && (
            <Copyable value={credential.transaction} what="destroying transaction's signature" compact />
          ),
          Mint: address(onchain.mint, "credential's mint"),
          "Token account": address(onchain.token_account, "token account"),
          Authority: address(onchain.authority, "authority"),
          Program: address(onchain.program, "program"),
          Fingerprint: <Copyable value={onchain.commitment} what="fingerprint" compact />,
          Salt: onchain.salt ? (
            <Copyable value={onchain.salt} what="salt" compact />
          ) : (
            <span className="text-muted">Erased: the fingerprint can no longer be tied to a person.</span>
          ),
          Memo: memo && <Copyable value={memo} what="memo" compact />,
        }}
      />
      <Verification id={attestation.attestation_id} />
    </Card>
  )
}

const looks = {
  passed: { icon: "check", className: "text-accent", word: "Passed" },
  failed: { icon: "cross", className: "text-danger", word: "Failed" },
  open: { icon: "question", className: "text-muted", word: "Not checked" },
} as const satisfies Record<Check["result"], { icon: IconName; className: string; word: string }>

/** Reads the chain now and compares it with the record, in this browser. */
function Verification({ id }: { id: string }) {
  const outcome = useRef<HTMLParagraphElement>(null)
  const verify = useMutation(async (api, of: string) => {
    const [state, { checksOf }] = await Promise.all([
      api.attestation.verifyOnChain.query({ id: of }),
      import("./checks.ts"),
    ])
    return checksOf(state)
  })
  const checks = verify.data
  useEffect(() => {
    if (checks) outcome.current?.focus()
  }, [checks])
  return (
    <div className="mt-5 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-[13px] text-muted">Reads the chain now and recomputes the fingerprint in your browser.</p>
        <Button variant="primary" pending={verify.isPending} onClick={() => verify.mutate(id)}>
          Verify
        </Button>
      </div>
      {verify.error && (
        <div className="mt-3">
          <FormError problem={problemOf(verify.error)} />
        </div>
      )}
      {checks && (
        <div className="mt-4">
          <p ref={outcome} tabIndex={-1} className="font-medium">
            {conclusion(checks)}
          </p>
          <ul aria-label="Checks" className="mt-2 space-y-2">
            {checks.map(({ name, result, detail }) => {
              const { icon, className, word } = looks[result]
              return (
                <li key={name} className="flex gap-2.5">
                  <Icon name={icon} className={`mt-0.5 size-4 ${className}`} />
                  <span className="min-w-0">
                    <span className="sr-only">{word}: </span>
                    {name}
                    {detail && <span className="block text-[13px] break-all text-muted">{detail}</span>}
                  </span>
                </li>
              )
            })}
          </ul>
        </div>
      )}
    </div>
  )
}

function conclusion(checks: readonly Check[]): string {
  const failed = checks.filter(({ result }) => result === "failed").length
  if (failed > 0) return failed === 1 ? "One check failed." : `${failed} checks failed.`
  return checks.every(({ result }) => result === "passed")
    ? "Verified: all checks match."
    : "All checks that could run match."
}
