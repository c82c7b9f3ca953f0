import { clsx } from "clsx"
import { useRouter } from "next/navigation.js"
import { Fragment, lazy, Suspense, useState } from "react"
import { neededApprovals } from "#app/(dashboard)/[workspace]/approvals/needed.ts"
import type { Link } from "#app/(dashboard)/[workspace]/sessions/start-session.tsx"
import { checkWallet, WalletConfirmation } from "#app/(dashboard)/[workspace]/tokens/[config]/servicing-fields.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { useMutation, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { FileHashField, useFileHash } from "#app/components/file-hash.tsx"
import { FieldGroup, Form, Submit } from "#app/components/form.tsx"
import { Icon } from "#app/components/icons.tsx"
import { NewTab } from "#app/components/link.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { RadioCard } from "#app/components/ui/radio-card.tsx"
import type { RecoveryView } from "../positions.tsx"

const StartSession = lazy(async () => ({
  default: (await import("#app/(dashboard)/[workspace]/sessions/start-session.tsx")).StartSession,
}))
const SessionLink = lazy(async () => ({
  default: (await import("#app/(dashboard)/[workspace]/sessions/start-session.tsx")).SessionLink,
}))

type ChooseWalletProps = { view: RecoveryView; chosen: string | null; onChoose: (wallet: string) => void }

/** Chooses the wallet that gets everything, and requests that it moves there. */
export function ChooseWallet({ view, chosen, onChoose }: ChooseWalletProps) {
  const { recovery, candidates, approvals_needed, approver_roles } = view
  const { recovery_id, investor_id, lost_wallet, reason_code, reference } = recovery
  const router = useRouter()
  const path = usePath()
  const { hashed, choose } = useFileHash()
  const request = useMutation((api, new_wallet: string) =>
    api.recovery.request.mutate({
      ...{ id: investor_id, lost_wallet, new_wallet, reason_code, reference },
      ...(hashed?.hash
        ? { document_sha256: hashed.hash }
        : recovery.document_sha256 !== null && { document_sha256: recovery.document_sha256 }),
    }),
  )
  return (
    <>
      {candidates.length > 0 && (
        <p className="mb-4">
          Choose the wallet of the same investor that gets everything. It needs the same verification as the lost one.
        </p>
      )}
      {candidates.length > 0 && (
        <Form
          check={(values) => ({
            new_wallet: chosen === null ? "Choose a wallet." : undefined,
            ...(chosen !== null && approvals_needed === 0 && checkWallet(values, chosen)),
            ...(hashed && hashed.hash === null && { document: hashed.problem ?? "Wait until the file is hashed." }),
          })}
          onSubmit={async () => {
            const { recovery_id: id, state } = await request.mutateAsync(chosen!)
            notify(state === "awaiting_approval" ? "Approval requested" : "The tokens are on their way")
            if (id !== recovery_id) router.push(path("recoveries", id))
          }}
        >
          <FieldGroup legend="New wallet" name="new_wallet">
            <div className="space-y-2">
              {candidates.map((candidate) => (
                <Candidate
                  key={candidate.user_pubkey}
                  of={candidate}
                  isChosen={candidate.user_pubkey === chosen}
                  onChoose={onChoose}
                />
              ))}
            </div>
          </FieldGroup>
          <FileHashField
            name="document"
            label="Document (optional)"
            hint={
              recovery.document_sha256 === null
                ? "Such as the investor’s signed statement."
                : "A document is recorded. Choose a file to replace it."
            }
            hashed={hashed}
            onChoose={choose}
          />
          {approvals_needed > 0 ? (
            <p className="flex items-start gap-2 text-[13px]">
              <Icon name="clock" className="mt-0.5 size-4 shrink-0 text-notice" />
              <span>
                A policy requires {neededApprovals(approvals_needed, approver_roles)}. Nothing moves before that.
              </span>
            </p>
          ) : (
            chosen !== null && <WalletConfirmation wallet={chosen} />
          )}
          <Submit variant={approvals_needed > 0 ? "primary" : "danger"}>
            {approvals_needed > 0 ? "Request approval" : "Move everything"}
          </Submit>
        </Form>
      )}
      <div className={clsx(candidates.length > 0 && "mt-5 border-t border-line pt-4")}>
        <StartVerification view={view} hasChoice={candidates.some(({ refusal }) => refusal === null)} />
      </div>
    </>
  )
}

type Candidate = RecoveryView["candidates"][number]
type CandidateProps = { of: Candidate; isChosen: boolean; onChoose: (wallet: string) => void }

/** One of the investor's other wallets, and why it cannot be chosen. */
const Candidate = ({ of: { user_pubkey, states, is_proved, refusal }, isChosen, onChoose }: CandidateProps) => (
  <RadioCard
    name="new_wallet"
    value={user_pubkey}
    checked={isChosen}
    disabled={refusal !== null}
    onChange={() => onChoose(user_pubkey)}
    title={<code className="font-mono text-[13px] break-all">{user_pubkey}</code>}
  >
    <span className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-[13px] text-muted">
      {states.map(({ schema, status }) => (
        <span key={schema} className="flex flex-wrap items-center gap-1.5">
          <span className="wrap-anywhere">{schema}</span> <StatusBadge status={status} />
        </span>
      ))}
      <Badge tone={is_proved ? "good" : "plain"}>{is_proved ? "Signed by the wallet" : "No signature"}</Badge>
    </span>
    {refusal !== null && <span className="mt-1 block text-[13px] wrap-anywhere text-danger">{refusal}</span>}
  </RadioCard>
)

/** Starts a session for a new wallet, whose link goes to the investor. The page then lists the wallet. */
function StartVerification({ view: { investor, schemas }, hasChoice }: { view: RecoveryView; hasChoice: boolean }) {
  const { can } = useWorkspace()
  const [isStarting, setStarting] = useState(false)
  const [link, setLink] = useState<Link | null>(null)
  if (investor.external_id === null) {
    return (
      <p>
        This investor has no external id, so Vouch takes any new wallet for another person’s. If they have no other
        wallet,{" "}
        <NewTab href="/docs/guides/redeem" className="text-accent underline underline-offset-2">
          force a transfer
        </NewTab>{" "}
        instead.
      </p>
    )
  }
  return (
    <>
      <p>
        {can("kyc:write") ? "Verify" : "Ask an owner or a developer to verify"} a new wallet of this investor
        {schemas.length > 0 && (
          <>
            {" for "}
            {schemas.map((schema, n) => (
              <Fragment key={schema}>
                {n > 0 && " and "}
                <SchemaName id={schema} />
              </Fragment>
            ))}
          </>
        )}
        . It then appears here, and you choose it.
      </p>
      {can("kyc:write") && (
        <Button variant={hasChoice ? "outline" : "primary"} className="mt-3" onClick={() => setStarting(true)}>
          Start a session for a new wallet
        </Button>
      )}
      <Suspense>
        {isStarting && (
          <StartSession
            wallet={null}
            schema={schemas[0] ?? null}
            externalId={investor.external_id}
            onClose={() => setStarting(false)}
            onStarted={setLink}
          />
        )}
        {link && <SessionLink link={link} onClose={() => setLink(null)} />}
      </Suspense>
    </>
  )
}
