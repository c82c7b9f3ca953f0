"use client"

import { useParams } from "next/navigation.js"
import { lazy, type ReactNode, Suspense, useState } from "react"
import { TokenName, TokenSymbol, useTokens } from "#app/(dashboard)/[workspace]/tokens/token-name.tsx"
import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { InvestorLink, To, usePolling, useQuery } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Card, Facts, Loading } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"
import { countOf } from "#shared/counts.ts"
import { type Exemption, exemptionNames } from "#shared/lots.ts"
import { type ReasonCode, reasonNames } from "#shared/movements.ts"
import { type ReviewDecision, reviewDecisions } from "#shared/review-decisions.ts"
import { allScopes } from "#shared/scopes.ts"
import { type ApprovalDetail as Approval, policyName, requesterOf, titleOf } from "../summary.ts"
import { useNames } from "../use-names.ts"
import { BalanceChanges } from "./balance-changes.tsx"
import { Decision } from "./decision.tsx"
import { Value } from "./value.tsx"

// Most requests are movements.
const CollectKey = lazy(async () => ({ default: (await import("./collect-key.tsx")).CollectKey }))
const PolicyChange = lazy(async () => ({ default: (await import("./policy-change.tsx")).PolicyChange }))
const Rules = lazy(async () => ({ default: (await import("./rules.tsx")).Rules }))
const Refusal = lazy(async () => ({ default: (await import("./rules.tsx")).Refusal }))
const RuleChanges = lazy(async () => ({ default: (await import("./rule-changes.tsx")).RuleChanges }))
const RecoveryRequest = lazy(async () => ({ default: (await import("./recovery-request.tsx")).RecoveryRequest }))
const RevocationRequest = lazy(async () => ({
  default: (await import("./revocation-request.tsx")).RevocationRequest,
}))

const CHECK_EVERY_MS = 4000

export default function Page() {
  const { id } = useParams<{ id: string }>()
  // Often, because the rules are checked again each time.
  const query = usePolling("approval.detail", { id }, ({ state }) => state !== "pending", { every_ms: CHECK_EVERY_MS })
  const names = useNames(query.data ? [query.data] : [])
  const [isDeciding, setDeciding] = useState(false)
  return (
    <DetailPage
      up={[["approvals"], "Approvals"]}
      name="Approval"
      query={query}
      head={(approval) => ({
        heading: titleOf(approval, names),
        badge: <StatusBadge status={approval.state} />,
      })}
    >
      {(approval) => (
        <TwoColumns
          wide={
            <>
              <Card title="Request">
                <Suspense fallback={<Loading what="Loading the request" />}>
                  {approval.action === "policy_change" ? (
                    <PolicyChange approval={approval} />
                  ) : approval.action === "attestation_revoke_bulk" ? (
                    <RevocationRequest approval={approval} />
                  ) : approval.action === "recovery" ? (
                    <RecoveryRequest approval={approval}>
                      <Request approval={approval} />
                    </RecoveryRequest>
                  ) : (
                    <>
                      <Request approval={approval} />
                      <BalanceChanges approval={approval} />
                    </>
                  )}
                </Suspense>
              </Card>
              {approval.preflight && (
                <Card title="Rules check">
                  <Suspense fallback={<Loading what="Loading the rules" lines={5} />}>
                    <Rules request={approval.request} preflight={approval.preflight} />
                  </Suspense>
                </Card>
              )}
            </>
          }
          narrow={
            <>
              <Card title={approval.state === "pending" ? "Decision" : "Outcome"}>
                {approval.state === "pending" || isDeciding ? (
                  <Decision approval={approval} isDeciding={isDeciding} onDeciding={setDeciding} />
                ) : approval.action === "key_create" && approval.is_requester ? (
                  <Suspense fallback={<Loading what="Loading the key" lines={2} />}>
                    <CollectKey approval={approval}>
                      <Outcome approval={approval} />
                    </CollectKey>
                  </Suspense>
                ) : (
                  <Outcome approval={approval} />
                )}
              </Card>
              <Card title="Details">
                <Details approval={approval} />
              </Card>
            </>
          }
        />
      )}
    </DetailPage>
  )
}

function Outcome({ approval: { outcome, reason, request, requested_by, action, state } }: { approval: Approval }) {
  const config = typeof request.mint_config === "string" ? request.mint_config : null
  return (
    <Facts
      facts={{
        Reason: reason,
        Operation:
          outcome?.operation_id &&
          (config && action !== "policy_change" ? (
            <To path={["tokens", config, "operations", outcome.operation_id]} className="text-accent hover:underline">
              Open the operation
            </To>
          ) : (
            outcome.operation_id
          )),
        Refused: outcome?.error && (
          <Suspense fallback={outcome.error}>
            <Refusal request={request} error={outcome.error} detail={outcome.detail ?? ""} />
          </Suspense>
        ),
        Result:
          !reason &&
          !outcome?.operation_id &&
          !outcome?.error &&
          (state !== "approved"
            ? "Nothing happened."
            : action !== "key_create"
              ? "Done as requested."
              : outcome?.key_id
                ? "The key exists. Its secret was shown once."
                : `${requested_by} can collect the key now.`),
        "If its secret is lost": action === "key_create" && outcome?.key_id && (
          <To path={["keys"]} query={`?form=rotate&key=${outcome.key_id}`}>
            Rotate the key
          </To>
        ),
      }}
    />
  )
}

const labels: Record<string, string> = {
  mint_config: "Token",
  amount: "Amount",
  user_pubkey: "Wallet",
  from_pubkey: "From",
  to_pubkey: "To",
  reason_code: "Reason",
  reason: "Internal reason",
  review_id: "Review",
  reference: "Reference",
  document_sha256: "Document’s SHA-256",
  holder_consent: "Holder’s consent",
  hold_id: "Hold",
  holds: "Holds to take from first",
  while_paused: "Even though the token is paused",
  lot: "Exemption and date",
  attestation_id: "Attestation",
  investor_id: "Investor",
  lost_wallet: "Lost wallet",
  new_wallet: "New wallet",
  recovery_id: "Recovery",
  public_reason: "Reason for the investor",
  required_schema: "Required verification",
  decision: "Decision",
  name: "Name",
  symbol: "Symbol",
  scopes: "Scopes",
  expires_at: "Expires",
  key_id: "Key",
  grace_seconds: "Old secret works for",
  rules: "Rules",
  transfer_mode: "Who moves tokens",
}

/** Fields that are not shown as they were sent. */
const shownAs: Record<string, (value: unknown, approval: Approval) => ReactNode> = {
  amount: (value, { action, request }) => (
    <>
      {/* A distribution may pay with something else. */}
      {grouped(String(value))} {action !== "distribution" && <TokenSymbol id={String(request.mint_config)} />}
    </>
  ),
  mint_config: (value) => (
    <To path={["tokens", String(value)]}>
      <TokenName id={String(value)} />
    </To>
  ),
  user_pubkey: (value) => <Holder wallet={String(value)} />,
  from_pubkey: (value) => <Holder wallet={String(value)} />,
  to_pubkey: (value) => <Holder wallet={String(value)} />,
  lot: (value) => <Lot lot={value as { exemption: Exemption; acquired_at?: string }} />,
  rules: (value) => <RuleChanges rules={value as Record<string, unknown>} />,
  reason_code: (value) => reasonNames[value as ReasonCode],
  decision: (value) => reviewDecisions[value as ReviewDecision].label,
  expires_at: (value) => (value === null ? "Never" : <Timestamp at={String(value)} />),
  investor_id: (value) => <To path={["investors", String(value)]}>Open the investor</To>,
  attestation_id: (value) => <To path={["attestations", String(value)]}>Open the verification</To>,
  key_id: (value) => <KeyName id={String(value)} />,
  grace_seconds: (value) => (value === 0 ? "Not at all" : countOf(Number(value) / 3600, "hour")),
  recovery_id: (value) => <To path={["recoveries", String(value)]}>Open the recovery</To>,
  review_id: (value) => <To path={["reviews", String(value)]}>Open the review, with the reason and the claims</To>,
}

/** A wallet with the investor who owns it, if one is known. */
function Holder({ wallet }: { wallet: string }) {
  const [owner] = useOwners([wallet])
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      {owner && owner.external_id !== null && <InvestorLink investor={owner} />}
      <Copyable value={wallet} what="address" compact />
      {owner && owner.external_id === null && <InvestorLink investor={owner} />}
    </span>
  )
}

/** A key by its name and what it may do. */
function KeyName({ id }: { id: string }) {
  const key = useQuery("key.list", {}).data?.data.find(({ key_id }) => key_id === id)
  if (!key) return <Copyable value={id} what="key id" compact />
  return (
    <>
      <To path={["keys"]}>{key.name}</To>
      <span className="block text-[13px] text-muted">
        {key.scopes.length === allScopes.length ? "All scopes" : key.scopes.join(", ")}
      </span>
    </>
  )
}

const Lot = ({ lot: { exemption, acquired_at } }: { lot: { exemption: Exemption; acquired_at?: string } }) => (
  <>
    {exemptionNames[exemption]}
    {acquired_at !== undefined && (
      <>
        , acquired <Timestamp at={acquired_at} />
      </>
    )}
  </>
)

function Request({ approval }: { approval: Approval }) {
  return (
    <Facts
      facts={Object.fromEntries(
        Object.entries(approval.request).map(([name, value]) => [
          labels[name] ?? name.replaceAll("_", " "),
          shownAs[name]?.(value, approval) ?? <Value key={name} of={value} />,
        ]),
      )}
    />
  )
}

/** Who asked for it, with the API request if a key did. */
const Requester = ({ approval }: { approval: Approval }) => (
  <span className="flex flex-wrap gap-x-3">
    {requesterOf(approval)}
    {approval.request_id !== null && <To path={["logs", approval.request_id]}>Open in the log</To>}
  </span>
)

/** The policy by what it says. One that was deleted has only its id left. */
function PolicyLink({ id, action }: { id: string; action: Approval["action"] }) {
  const tokens = useTokens()
  const policy = useQuery("approvalPolicy.overview", {}).data?.policies.find(({ policy_id }) => policy_id === id)
  if (!policy) return <Copyable value={id} what="policy id" compact />
  return (
    <To path={["settings"]} query="?part=approvals">
      {policyName(policy, action, (config) => tokens?.get(config)?.symbol ?? config)}
    </To>
  )
}

function Details({ approval }: { approval: Approval }) {
  const { approval_id, state, created_at, expires_at, ended_at, ended_by, given, needed, digest, policy_id } = approval
  return (
    <Facts
      facts={{
        "Requested by": <Requester approval={approval} />,
        Requested: <Timestamp at={created_at} />,
        Expires: state === "pending" && <Timestamp at={expires_at} />,
        Ended: ended_at && <Timestamp at={ended_at} />,
        "Rejected by": state === "rejected" && ended_by,
        Approvals: `${given.length} of ${needed}`,
        "Approved by": given.length > 0 && (
          <ul>
            {given.map(({ by, at }) => (
              <li key={at}>
                {by}, <Timestamp at={at} />
              </li>
            ))}
          </ul>
        ),
        Policy: policy_id ? <PolicyLink id={policy_id} action={approval.action} /> : "Default",
        Digest: <Copyable value={digest} what="digest" compact />,
        "Approval id": <Copyable value={approval_id} what="approval id" compact />,
      }}
    />
  )
}
