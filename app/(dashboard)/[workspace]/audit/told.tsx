import { Fragment, useId, useState } from "react"
import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { Facts } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { NewTab } from "#app/components/link.tsx"
import { TimeOfDay } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"
import type { AuditActor } from "#shared/statuses.ts"

type Entry = RouterOutputs["audit"]["list"]["data"][number]

/** Underlined, because links within text must not differ by their colour alone. */
const link = "rounded-sm text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"

/** An entry as a sentence, with its reason, and the entry itself on demand. */
export function Told({ entry }: { entry: Entry }) {
  const { at, sentence, reason, place } = entry
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <div className="flex items-start justify-between gap-x-3">
        <div className="min-w-0 py-0.5">
          <p>
            {sentence.map((part, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a sentence never changes its parts' order
              <Fragment key={i}>
                {typeof part === "string" ? (
                  part
                ) : part.address ? (
                  <Copyable compact value={part.address} what="the address" />
                ) : part.path ? (
                  <To path={part.path} className={link}>
                    {part.text}
                  </To>
                ) : (
                  <b className="font-medium">{part.text}</b>
                )}
              </Fragment>
            ))}
          </p>
          {reason && <p className="text-[13px] text-muted">Reason: {reason}</p>}
          <p className="text-xs text-muted md:hidden">
            <TimeOfDay at={at} />
          </p>
        </div>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="-mr-1.5 inline-flex min-h-6 shrink-0 cursor-pointer items-center gap-1 rounded-md px-1.5 text-[13px] text-muted hover:bg-sunken hover:text-ink pointer-coarse:min-h-11"
        >
          Details
          {place !== null && <span className="sr-only"> of entry {grouped(String(place))}</span>}
          <Icon name="chevron" className={`size-3.5 ${isOpen ? "rotate-180" : ""}`} />
        </button>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Details entry={entry} />}
      </div>
    </>
  )
}

const kinds = {
  user: "Member",
  key: "API key",
  operator: "Command line",
  system: "Automatic",
} as const satisfies Record<AuditActor, string>

/** What the entry itself says, and what proves it. */
function Details({ entry }: { entry: Entry }) {
  const { action, actor, actor_id, actor_name, subject, request_id, details, place, hash, anchor } = entry
  const said = Object.fromEntries(details.map(({ name, text }) => [name, <Readable key={name} text={text} />]))
  return (
    <Facts
      className="mt-1.5 mb-2 rounded-lg bg-sunken px-3 py-2.5 text-[13px] [&_dt]:first-letter:uppercase"
      facts={{
        Action: <code className="font-mono">{action}</code>,
        Actor: (
          <>
            {actor_name}, {kinds[actor]}.{" "}
            {actor_id !== null && (
              <To path={["audit"]} query={`?actor_id=${actor_id}`} className={link}>
                All by this actor
              </To>
            )}
          </>
        ),
        Subject: (
          <span className="inline-flex flex-wrap items-baseline gap-x-3">
            <Copyable compact value={subject} what="the subject" />
            <To path={["audit"]} query={`?subject=${encodeURIComponent(subject)}`} className={link}>
              All about this subject
            </To>
          </span>
        ),
        ...said,
        // Only requests of API keys are in the log of requests.
        Request: request_id !== null && (
          <span className="inline-flex flex-wrap items-baseline gap-x-3">
            <Copyable compact value={request_id} what="the request id" />
            {actor === "key" && (
              <To path={["logs", request_id]} className={link}>
                Open in the log
              </To>
            )}
          </span>
        ),
        Entry: place === null ? "Gets its number in a few seconds" : grouped(String(place)),
        Hash: hash !== null && <Copyable compact value={hash} what="the hash" />,
        "On chain": <OnChain of={anchor} />,
      }}
    />
  )
}

function OnChain({ of: anchor }: { of: Entry["anchor"] }) {
  if (anchor === null) return "Not yet. Hashes are anchored once a day"
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-3">
      <Copyable compact value={anchor.transaction} what="the signature" />
      {anchor.explorer !== null && (
        <NewTab href={anchor.explorer} className="text-accent underline-offset-2 hover:underline">
          Show in the explorer
        </NewTab>
      )}
    </span>
  )
}

/** An investor's id, or an address that is too long to read. */
const LONG = /(inv_[0-9A-Za-z]+|[1-9A-HJ-NP-Za-km-z]{32,})/

function Readable({ text }: { text: string }) {
  return text.split(LONG).map((part) => {
    if (!LONG.test(part)) return part
    return part.startsWith("inv_") ? (
      <To key={part} path={["investors", part]} className={link}>
        <Shortened value={part} />
      </To>
    ) : (
      <Copyable key={part} compact value={part} what="the address" />
    )
  })
}
