import type { ReactNode } from "react"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { To } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Facts } from "#app/components/frame.tsx"
import { NewTab } from "#app/components/link.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { findings, headlineOf } from "#shared/reviews.ts"
import type { Review } from "./review.ts"

export function About({ review }: { review: Review }) {
  const { wallet, attestations } = review
  const removed = review.lists.filter(({ in_use }) => !in_use)
  const hasDetails = review.said !== null && headlineOf(review) !== review.said
  const facts = {
    // Reviews of the other kinds have one finding, which the page's heading already says.
    Found: review.kind === "signal" && headlineOf(review) !== findings[review.finding] && findings[review.finding],
    Details: hasDetails && <span className="wrap-anywhere">{review.said}</span>,
    Evidence: review.kind === "vendor" && !hasDetails && "The provider sent none with this case.",
    Lists: review.lists.length > 0 && <Lists of={review.lists} />,
    Country: review.country_unknown && (
      <span className="text-notice">
        Unknown: the provider’s code is not a known country, so country rules refuse the wallet unless you enter one.
      </span>
    ),
  } satisfies Record<string, ReactNode>
  return (
    <>
      {Object.values(facts).some(Boolean) && <Facts facts={facts} />}
      {removed.length > 0 && (
        <p className="mt-4 text-[13px] text-notice">
          {removed.map(({ name }) => name).join(", ")}: no longer in use. Mints and transfers of this wallet are not
          refused for it
          {removed.some(({ frozen }) => frozen) ? ", but its tokens stay frozen until you decide." : "."}
        </p>
      )}
      {attestations.length > 0 && (
        <ul
          aria-label="Verifications"
          className="-mb-2.5 divide-y divide-line border-line not-first:mt-4 not-first:border-t first:-mt-2.5"
        >
          {attestations.map(({ attestation_id, schema, status, provider, provider_page, started_at, wallet: of }) => (
            <li key={attestation_id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
              <span className="min-w-0">
                <To path={["attestations", attestation_id]} className="font-medium text-accent hover:underline">
                  <SchemaName id={schema} />
                </To>
                {wallet === null && (
                  <span className="block text-muted">
                    <Shortened value={of} />
                  </span>
                )}
                <span className="block text-[13px] text-muted">
                  Provider: {provider}. Started <Timestamp at={started_at} />
                </span>
                {provider_page && (
                  <NewTab href={provider_page} className={buttonLook({ size: "sm", className: "mt-1.5" })}>
                    Open in {provider}
                  </NewTab>
                )}
              </span>
              <StatusBadge status={status} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const Lists = ({ of }: { of: Review["lists"] }) => (
  <ul>
    {of.map(({ name, in_use, frozen }) => (
      <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere">
        {name}
        {!in_use && <Badge tone="notice">No longer in use</Badge>}
        {frozen && <Badge>Frozen</Badge>}
      </li>
    ))}
  </ul>
)
