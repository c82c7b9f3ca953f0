import { CodeBlock, Copyable, Shortened } from "#app/components/code.tsx"
import { Facts, Failed, Loading } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { keptDays } from "#shared/retention.ts"
import { type RouterOutputs, useQuery } from "./workspace.tsx"

export default function Transaction({ signature }: { signature: string }) {
  const { data, error, refetch } = useQuery("transaction.get", { signature })
  if (data) return <TransactionDetails transaction={data} />
  return error ? <Failed error={error} onRetry={refetch} /> : <Loading what="Loading the transaction" lines={8} />
}

type TransactionView = RouterOutputs["transaction"]["get"]

const statusWords = {
  saved: "Signed, not on chain yet",
  confirmed: "Confirmed",
  failed: "Refused by the chain",
  expired: "Expired before it landed",
} as const satisfies Record<TransactionView["status"], string>

function TransactionDetails({ transaction }: { transaction: TransactionView }) {
  const { signature, status, slot, signed_at, block_time, cluster, instructions, logs, error, wire } = transaction
  return (
    <div className="space-y-6">
      <Facts
        facts={{
          Signature: <Copyable value={signature} what="transaction signature" compact />,
          Status: statusWords[status],
          Error: error !== null && <code className="font-mono text-[13px]">{JSON.stringify(error)}</code>,
          Network: cluster,
          Slot: slot,
          Signed: <Timestamp at={signed_at} />,
          "Block time": block_time && <Timestamp at={block_time} />,
        }}
      />
      <section aria-labelledby="instructions">
        <h3 id="instructions" className="mb-2 font-semibold">
          Instructions
        </h3>
        {instructions.length === 0 && (
          <p className="text-muted">
            Vouch keeps the bytes of a transaction for {keptDays.transactionBytes} days, and the chain does not show
            this one now. Look it up in an explorer, or try again later.
          </p>
        )}
        <ol className="divide-y divide-line rounded-lg border border-line empty:hidden">
          {instructions.map((instruction, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: instructions have no id besides their position
            <li key={index} className="px-3 py-2.5">
              <p>
                <span className="mr-2 text-muted">{index + 1}</span>
                <span className="font-medium">{instruction.name ?? "Unknown instruction"}</span>
                <span className="text-muted"> · {instruction.program_name ?? instruction.program}</span>
              </p>
              {instruction.memo !== null && <p className="mt-1 font-mono text-[13px] break-all">{instruction.memo}</p>}
              {instruction.amount !== null && <p className="mt-1">{instruction.amount} base units</p>}
              {instruction.accounts.length > 0 && (
                <details className="mt-1">
                  <summary className="cursor-pointer text-[13px] text-muted">
                    {instruction.accounts.length === 1 ? "1 account" : `${instruction.accounts.length} accounts`}
                  </summary>
                  <ul className="mt-1 space-y-0.5">
                    {instruction.accounts.map(({ address, signer, writable }, place) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: an address can occur twice
                      <li key={place} className="flex flex-wrap items-baseline gap-x-2">
                        <Shortened value={address} />
                        <span className="text-xs text-muted">
                          {[signer && "signs", writable && "is written"].filter(Boolean).join(", ")}
                        </span>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </li>
          ))}
        </ol>
      </section>
      {logs && logs.length > 0 && <CodeBlock label="Program log" code={logs.join("\n")} />}
      {wire && <CodeBlock label="Signed bytes, base64" code={wire} />}
    </div>
  )
}
