import { type ReactNode, useEffect, useRef, useState } from "react"
import { Copyable } from "#app/components/code.tsx"
import { FactLines } from "#app/components/facts.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { SessionView } from "#server/domain/kyc/hosted-page/view.ts"
import { ContinueForm } from "./continue.tsx"
import { reasonText } from "./copy.ts"

type In<State extends SessionView["state"]> = Extract<SessionView, { state: State }>

const networks: Record<string, { name: string; explorer?: string }> = {
  "mainnet-beta": { name: "Solana mainnet", explorer: "" },
  devnet: { name: "Solana devnet", explorer: "?cluster=devnet" },
  testnet: { name: "Solana testnet", explorer: "?cluster=testnet" },
  localnet: { name: "Local test network" },
}

export function Loading() {
  return (
    <div aria-hidden="true" className="motion-safe:animate-pulse">
      <div className="h-7 w-56 rounded bg-line" />
      <div className="mt-4 h-4 w-full rounded bg-line" />
      <div className="mt-2.5 h-4 w-2/3 rounded bg-line" />
      <div className="mt-7 divide-y divide-line border-y border-line">
        {["w-40", "w-28", "w-44", "w-32", "w-20"].map((width) => (
          <div key={width} className="flex h-11 items-center justify-between">
            <div className="h-4 w-20 rounded bg-line" />
            <div className={`h-4 rounded bg-line ${width}`} />
          </div>
        ))}
      </div>
    </div>
  )
}

export function Failed({ onRetry }: { onRetry: () => void }) {
  return (
    <>
      <Text>The server is unreachable. Check your connection. This page keeps trying.</Text>
      <Button variant="primary" size="xl" onClick={onRetry} className="mt-6 w-full">
        Try again
      </Button>
    </>
  )
}

export function Unknown() {
  return (
    <>
      <Text>No verification at this address.</Text>
      <Text>Check that you opened the full link, or ask the company that sent it for a new one.</Text>
    </>
  )
}

/** With the provider, or back from there: the result may be on its way, or the check not finished. */
export function HandedOver({
  view,
  lost,
  sessionId,
  onAnswer,
}: {
  view: In<"handed_over">
  lost: boolean
  sessionId: string
  onAnswer: (view: SessionView) => void
}) {
  const { label } = view.provider
  return (
    <>
      <Text>Finished at {label}? The result appears here automatically, often within a minute.</Text>
      <Text>Not finished yet? Continue where you left off.</Text>
      <FactLines facts={{ ...subjectOf(view), "Checked by": label }} />
      <Lost lost={lost} />
      <ContinueForm asker={view.asker} label={label} sessionId={sessionId} isAgreed onAnswer={onAnswer} />
      <p className="mt-4 text-center text-sm text-muted">
        Open until <Timestamp at={view.openUntil} />
      </p>
    </>
  )
}

const Lost = ({ lost }: { lost: boolean }) => (
  <div role="status">{lost && <p className="mt-4 text-notice">Connection lost, trying again</p>}</div>
)

export function Checking({ view, lost }: { view: In<"checking">; lost: boolean }) {
  return (
    <>
      <Text>
        {view.inReview
          ? "A reviewer is checking it. You can close this page and open the same link later to see the result."
          : "This takes a few seconds. The result appears here automatically."}
      </Text>
      <FactLines facts={{ ...subjectOf(view), "Requested by": view.asker }} />
      <Lost lost={lost} />
    </>
  )
}

export function Verified({ view }: { view: In<"verified"> }) {
  const network = networks[view.cluster ?? ""] ?? { name: view.cluster ?? "Solana" }
  return (
    <>
      <Text>{view.asker} can rely on it from now on. You can close this page.</Text>
      <FactLines
        facts={{
          ...subjectOf(view),
          "Valid until": <Timestamp at={view.expiresAt} />,
          Transaction: <Copyable value={view.onchainTx} what="transaction signature" />,
          Network: network.name,
        }}
      />
      {network.explorer !== undefined && (
        <a
          href={`https://explorer.solana.com/tx/${view.onchainTx}${network.explorer}`}
          rel="noreferrer noopener"
          target="_blank"
          className="mt-2 inline-flex min-h-11 items-center text-accent underline underline-offset-4"
        >
          See the transaction in Solana Explorer
        </a>
      )}
      {view.returnUrl && <ReturnToAsker url={view.returnUrl} automatic />}
    </>
  )
}

/** Rejected, revoked, closed or past its validity: what happened, why, and what to do now. */
export function Ended({ view }: { view: In<"rejected"> | In<"expired"> }) {
  const { happened, next, isNews } = describeEnd(view)
  return (
    <>
      <Text>{happened}</Text>
      {view.state === "rejected" && (
        <dl className="mt-5 rounded-lg bg-danger-soft px-4 py-3">
          <dt className="text-sm font-medium text-danger">Reason</dt>
          <dd className="mt-0.5">{reasonText(view.reason).why}</dd>
        </dl>
      )}
      <h2 className="mt-6 font-semibold">What you can do</h2>
      <p className="mt-1 text-muted">{next}</p>
      <FactLines facts={{ ...subjectOf(view), "Requested by": view.asker }} />
      {view.returnUrl && <ReturnToAsker url={view.returnUrl} automatic={isNews} />}
    </>
  )
}

/** `isNews`: it ended on this page just now, or nearly so; what ended later is read by someone who came to read it. */
function describeEnd(view: In<"rejected"> | In<"expired">) {
  const { asker } = view
  const again = `Ask ${asker} for a new link if you still need to be verified.`
  if (view.state === "rejected") {
    const contact = `Contact ${asker} if you think this is a mistake`
    switch (view.was) {
      case "verified":
        return {
          happened: "This wallet was verified. The verification was revoked and its credential removed.",
          next: `${contact}.`,
          isNews: false,
        }
      case "cancelled":
        return {
          happened: `${asker} ended this verification before it was decided.`,
          next: `${contact}, or ask them for a new link to start again.`,
          isNews: true,
        }
      case "pending":
        return {
          happened: "Your answers were checked and the verification was rejected.",
          next: `${contact}, or ask them for a new link to start again.`,
          isNews: true,
        }
    }
  }
  switch (view.was) {
    case "verified":
      return {
        happened: "This wallet was verified, but the verification has expired.",
        next: again,
        isNews: false,
      }
    case "superseded":
      return {
        happened: "This wallet was verified again. The newer verification counts.",
        next: "You can close this page.",
        isNews: false,
      }
    case "open":
      return { happened: "The link was closed before you were verified.", next: again, isNews: true }
  }
}

const subjectOf = ({ wallet, schema }: { wallet: string; schema: { name: string } }) => ({
  Wallet: <Copyable value={wallet} what="wallet address" />,
  Check: schema.name,
})

function Text({ children }: { children: ReactNode }) {
  return <p className="mt-2 text-muted">{children}</p>
}

const STAY_SECONDS = 8

/** Returns to the customer's site: on click, or automatically after a few seconds unless the holder stays. */
function ReturnToAsker({ url, automatic }: { url: string; automatic: boolean }) {
  const { host } = new URL(url)
  const [secondsLeft, setSecondsLeft] = useState(automatic ? STAY_SECONDS : null)
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (secondsLeft === null) return
    if (secondsLeft === 0) {
      // Replaced, so that "back" leads to where the holder came from, and not here and away again.
      window.location.replace(url)
      return
    }
    const timer = setTimeout(() => setSecondsLeft(secondsLeft - 1), 1000)
    return () => clearTimeout(timer)
  }, [secondsLeft, url])

  function stay() {
    setSecondsLeft(null)
    // The button goes, and the focus must not go with it.
    link.current?.focus()
  }

  return (
    <div className="mt-6">
      <Button asChild variant="primary" size="xl" className="w-full">
        <a ref={link} href={url} rel="noreferrer">
          {/* All of the host: its end is what tells where it leads. */}
          <span className="py-2 text-center">Return to {host}</span>
        </a>
      </Button>
      {/* The seconds are for the eye: read out one by one they would drown everything else. */}
      <p role="status" className="sr-only">
        {secondsLeft === null ? "" : `You return to ${host} in ${STAY_SECONDS} seconds, unless you stay.`}
      </p>
      {secondsLeft !== null && (
        <div className="mt-3 flex items-center justify-between gap-4 text-sm text-muted">
          <span aria-hidden="true">Returning in {secondsLeft} s</span>
          <Button size="lg" onClick={stay}>
            Stay on this page
          </Button>
        </div>
      )}
    </div>
  )
}
