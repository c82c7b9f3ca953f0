import { To } from "#app/(dashboard)/to.tsx"
import { useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { Facts } from "#app/components/facts.tsx"
import { FormError } from "#app/components/form.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Badge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Card } from "#app/components/ui/card.tsx"
import type { Redaction } from "#domain/privacy"
import { type ClaimName, type Claims, contradictions, claims as definitions } from "#shared/claims.ts"
import type { InvestorView } from "./view.ts"

/** Permanently erases the data about a person. */
export function Erase({ investor: { investor_id } }: { investor: InvestorView }) {
  const erase = useMutation((api) => api.erasure.investor.mutate({ id: investor_id }))
  return (
    <Confirm
      trigger={<Button>Erase data</Button>}
      title="Erase this investor’s data?"
      description="All verifications of all their wallets end, and their credentials are destroyed on chain within seconds. Claims, your own id, reasons, notes, stored answers and logged requests are deleted, and vendors are asked to delete theirs. Wallet addresses and token balances stay. You cannot undo this."
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
  not_supported: { word: "Ask the vendor yourself", tone: "bad" },
  kept: { word: "Kept for another wallet", tone: "plain" },
} as const satisfies Record<Redaction["status"], { word: string; tone: "notice" | "good" | "bad" | "plain" }>

/** How far vendors are with deleting the data of an erased person. Shows nothing if no vendor has any. */
export function VendorRedactions({ investorId }: { investorId: string }) {
  const { data } = useQuery("erasure.redactions", { investorId })
  const confirm = useMutation((api, id: string) => api.erasure.confirm.mutate({ id }))
  if (!data || data.length === 0) return null
  return (
    <Card title="Data at vendors" description="Data about this person that Vouch asked KYC vendors to delete.">
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
                <Copyable value={reference} what="the vendor’s id of the check" compact />
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

type Known = RouterOutputs["investor"]["viewClaims"]["data"]

const countryNames = new Intl.DisplayNames("en", { type: "region" })

const yesOrNo = (value: boolean | undefined) => (value === undefined ? "Not reported" : value ? "Yes" : "No")

/** What providers reported. Read only on request, because each view is an entry in the audit log. */
export function ClaimsCard({ investor: { investor_id, has_claims } }: { investor: InvestorView }) {
  const look = useMutation((api) => api.investor.viewClaims.mutate({ id: investor_id }))
  return (
    <Card
      title="Claims"
      description="What providers reported. Viewing them is recorded in the audit log."
      actions={
        has_claims &&
        !look.data && (
          <Button size="sm" pending={look.isPending} onClick={() => look.mutate()}>
            Show claims
          </Button>
        )
      }
    >
      {look.error && <FormError problem={problemOf(look.error)} />}
      {look.data ? (
        <Reported known={look.data.data} />
      ) : (
        <p className="text-muted">{has_claims ? "Hidden until you ask for them." : "None are stored."}</p>
      )}
    </Card>
  )
}

function Reported({ known }: { known: Known }) {
  if (known.length === 0) return <p className="text-muted">None are stored.</p>
  const differing = contradictions(known.map(({ claims }) => claims))
  return (
    <>
      {differing.length > 0 && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-notice">
          These verifications contradict each other: {differing.map((name) => definitions[name].label).join(", ")}. Find
          out which is right, and revoke the others.
        </p>
      )}
      <ul className="-my-3 divide-y divide-line" aria-label="Reported claims">
        {known.map(({ attestation_id, user_pubkey, schema, approved_at, claims }) => (
          <li key={attestation_id} className="py-3">
            <p className="mb-2 text-[13px] text-muted">
              <Shortened value={user_pubkey} />,{" "}
              <To path={["attestations", attestation_id]} className="rounded-sm text-accent underline">
                {schema}
              </To>
              , approved <Timestamp at={approved_at} />
            </p>
            <Facts facts={factsOf(claims, differing)} />
          </li>
        ))}
      </ul>
    </>
  )
}

function countryOf({ country, unknown_country }: Claims): string {
  if (country !== undefined) return `${countryNames.of(country) ?? country} (${country})`
  return unknown_country === undefined ? "Not reported" : `Unknown: the vendor reported ${unknown_country}`
}

const factsOf = (claims: Claims, differing: readonly ClaimName[]) => {
  const mark = (name: ClaimName, text: string) =>
    differing.includes(name) && claims[name] !== undefined ? (
      <strong className="font-medium text-notice">{text} (differs)</strong>
    ) : (
      text
    )
  return {
    Country: mark("country", countryOf(claims)),
    "Over 18": mark("age_over_18", yesOrNo(claims.age_over_18)),
    Accredited: mark("accredited", yesOrNo(claims.accredited)),
  }
}
