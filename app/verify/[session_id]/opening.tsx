import { Copyable } from "#app/components/code.tsx"
import { FactLines } from "#app/components/facts.tsx"
import { Icon, type IconName } from "#app/components/icons.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"
import { claimNames, claims } from "#shared/claims.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { ContinueForm } from "./continue.tsx"
import { reasonText } from "./copy.ts"
import { TestOnly } from "./fields.tsx"
import { VerificationForm } from "./form.tsx"

const names = claimNames.map((name) => claims[name].label).join(", ")
/** What is asked for, in words: "Country, over 18, accredited". */
const claimed = names.charAt(0).toUpperCase() + names.slice(1)

type Open = Extract<SessionView, { state: "open" }>

/** Who asks, what is checked, by whom and what is kept; then the form, or the way to the provider's page. */
export function Opening({
  view,
  sessionId,
  onAnswer,
}: {
  view: Open
  sessionId: string
  onAnswer: (view: SessionView) => void
}) {
  const { asker, schema, wallet, provider, again, openUntil } = view
  return (
    <>
      <p className="mt-2 text-muted">
        <strong className="font-semibold text-ink">{asker}</strong> asks you to confirm a few facts about
        yourself as the holder of this wallet.
      </p>
      {again && <Again reason={again} />}
      <FactLines
        facts={{
          Wallet: <Copyable value={wallet} what="wallet address" />,
          Check: schema.name,
          Facts: claimed,
          "Checked by": provider.label,
          "Valid for": `${schema.validityDays} days`,
        }}
      />
      <h2 className="mt-7 font-semibold">What is stored</h2>
      <ul className="mt-2 space-y-2 text-sm">
        <Kept icon="lock" what="Stored, encrypted:">
          your country, and whether you are over 18 and an accredited investor.
        </Kept>
        <Kept icon="cross" what="Never stored:">
          documents, images, your name, your date of birth.
        </Kept>
        <Kept icon="link" what="On Solana:">
          a credential for this wallet, with a fingerprint of the result and an expiry date. Nothing personal.
        </Kept>
      </ul>
      {provider.opens === "form" ? (
        <VerificationForm
          asker={asker}
          testOnly={provider.testOnly}
          sessionId={sessionId}
          onAnswer={onAnswer}
        />
      ) : (
        <>
          <TestOnly testOnly={provider.testOnly} />
          <p className="mt-7 text-muted">
            You continue on the page of {provider.label}, and come back here when you are done.
          </p>
          <ContinueForm
            asker={asker}
            label={provider.label}
            sessionId={sessionId}
            isAgreed={false}
            onAnswer={onAnswer}
          />
        </>
      )}
      <p className="mt-4 text-center text-sm text-muted">
        Open until <Timestamp at={openUntil} />
      </p>
    </>
  )
}

function Again({ reason }: { reason: PublicReason }) {
  const { why, next } = reasonText(reason)
  return (
    <p className="mt-5 flex gap-3 rounded-lg border border-notice-line bg-notice-soft px-4 py-3 text-notice">
      <Icon name="alert" className="mt-0.5 size-5" />
      <span>
        <strong className="font-semibold">Please submit again.</strong> {why} {next}
      </span>
    </p>
  )
}

function Kept({ icon, what, children }: { icon: IconName; what: string; children: string }) {
  return (
    <li className="flex gap-3">
      <Icon name={icon} className="mt-0.5 size-4 text-muted" />
      <span className="text-muted">
        <span className="font-medium text-ink">{what}</span> {children}
      </span>
    </li>
  )
}
