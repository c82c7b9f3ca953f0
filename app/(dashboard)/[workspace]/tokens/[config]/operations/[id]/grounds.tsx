import type { Operation } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Copyable } from "#app/components/code.tsx"
import { FileHashField, useFileHash } from "#app/components/file-hash.tsx"
import { Card, Facts } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { reasonNames } from "#shared/movements.ts"

/** Why an operation took tokens, and a check of the document that justifies it. */
export function Grounds({ of: { reason_code, reference, holder_consent, document_sha256 } }: { of: Operation }) {
  return (
    <Card title="Why">
      <Facts
        facts={{
          Reason: reason_code && reasonNames[reason_code],
          Reference: reference && <span className="wrap-anywhere">{reference}</span>,
          Consent: holder_consent !== null && (holder_consent ? "The holder agreed" : "None"),
          Document: document_sha256 ? <Copyable value={document_sha256} what="document hash" compact whole /> : "None",
        }}
      />
      {document_sha256 && <DocumentCheck recorded={document_sha256} />}
    </Card>
  )
}

function DocumentCheck({ recorded }: { recorded: string }) {
  const { hashed, choose } = useFileHash()
  const hash = hashed?.hash ?? null
  return (
    <div className="mt-4 border-t border-line pt-4">
      <FileHashField
        name="document"
        label="Check a file"
        hint="See whether it is the recorded document."
        hashed={hashed}
        onChoose={choose}
      />
      <p role="status" className="mt-1.5 text-sm font-medium">
        {hash !== null && <Verdict isRecorded={hash === recorded} />}
      </p>
    </div>
  )
}

const Verdict = ({ isRecorded }: { isRecorded: boolean }) => (
  <span className={`flex items-start gap-2 ${isRecorded ? "text-accent" : "text-danger"}`}>
    <Icon name={isRecorded ? "check" : "cross"} className="mt-0.5 size-4" />
    {isRecorded ? "This is the recorded document." : "This is a different file, or it was changed."}
  </span>
)
