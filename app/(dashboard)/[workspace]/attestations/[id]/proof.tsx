import { TransactionLink } from "#app/(dashboard)/transaction-drawer.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { Verification } from "./verification.tsx"

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
