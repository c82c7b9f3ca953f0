import { type RouterOutputs, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Card } from "#app/components/frame.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import type { Redaction } from "#domain/privacy"

type InvestorView = RouterOutputs["investor"]["view"]

/** Permanently erases the data about a person. */
export function Erase({ investor: { investor_id }, onClose }: { investor: InvestorView; onClose: () => void }) {
  const erase = useMutation((api) => api.erasure.investor.mutate({ id: investor_id }))
  return (
    <Confirm
      onClose={onClose}
      title="Erase this investor’s data?"
      description="All verifications of all their wallets end, and their credentials are destroyed on chain within seconds. Claims, your own id, reasons, notes, stored answers and logged requests are deleted, and providers are asked to delete theirs. Wallet addresses and token balances stay. You cannot undo this."
      confirm="Erase data"
      word="ERASE"
      onConfirm={async () => {
        await erase.mutateAsync()
        notify("Data erased")
      }}
    />
  )
}

const copy = {
  requested: { word: "Asked to delete", tone: "notice" },
  done: { word: "Deleted", tone: "good" },
  failed: { word: "Not deleted yet", tone: "bad" },
  not_supported: { word: "Ask the provider yourself", tone: "bad" },
  kept: { word: "Kept for another wallet", tone: "plain" },
} as const satisfies Record<Redaction["status"], { word: string; tone: "notice" | "good" | "bad" | "plain" }>

/** How far vendors are with deleting the data of an erased person. Shows nothing if no vendor has any. */
export function VendorRedactions({ investorId }: { investorId: string }) {
  const { data } = useQuery("erasure.redactions", { investorId })
  const confirm = useMutation((api, id: string) => api.erasure.confirm.mutate({ id }))
  if (!data || data.length === 0) return null
  return (
    <Card title="Data at providers" description="Data about this person that Vouch asked KYC providers to delete.">
      <ul className="divide-y divide-line">
        {data.map(({ id, provider, status, reference }) => (
          <li key={id} className="space-y-2 py-2.5 first:pt-0 last:pb-0">
            <p className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">{provider}</span>
              <Badge tone={copy[status].tone}>{copy[status].word}</Badge>
            </p>
            {reference !== null && (
              <div className="space-y-2 text-[13px]">
                <p className="text-muted">
                  {status === "failed"
                    ? `${provider} has not answered for hours. Vouch keeps asking; you can also ask them to delete this check:`
                    : `${provider} has no API to delete data. Ask them to delete this check:`}
                </p>
                <Copyable value={reference} what="the provider’s id of the check" compact />
                <div>
                  <Confirm
                    trigger={<Button size="sm">Mark as deleted</Button>}
                    title={`Has ${provider} deleted it?`}
                    description="The check’s id is removed here, and the audit log says who confirmed it."
                    confirm="Mark as deleted"
                    danger={false}
                    onConfirm={() => confirm.mutateAsync(id)}
                  />
                </div>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
