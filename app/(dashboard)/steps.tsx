import type { ReactNode } from "react"
import { Icon, Spinner } from "#app/components/icons.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import type { IconName } from "#shared/icons.ts"

export type Step = {
  name: string
  at: string | null
  /** `current` goes on by itself, `waiting` needs a person. */
  state: "done" | "current" | "waiting" | "ahead" | "failed"
  note?: ReactNode
}

/** What has happened and what comes next, in order. */
export function Steps({ steps }: { steps: Step[] }) {
  const current = steps.findLast(({ state }) => state !== "ahead")!
  return (
    <>
      <p role="status" className="sr-only">
        {current.name}
      </p>
      <ol className="space-y-4">
        {steps.map(({ name, at, state, note }) => (
          <li
            key={name}
            className="flex gap-3"
            aria-current={state === "current" || state === "waiting" ? "step" : undefined}
          >
            <Sign state={state} />
            <div className="min-w-0">
              <p className={state === "ahead" ? "text-muted" : "font-medium"}>{name}</p>
              {at && (
                <p className="text-[13px] text-muted">
                  <Timestamp at={at} />
                </p>
              )}
              {note && <div className="mt-0.5 text-[13px] text-muted">{note}</div>}
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

const signs = {
  done: { icon: "check", look: "bg-accent-soft text-accent" },
  waiting: { icon: "clock", look: "bg-notice-soft text-notice" },
  failed: { icon: "cross", look: "bg-danger-soft text-danger" },
  ahead: { icon: "clock", look: "bg-sunken text-muted" },
} as const satisfies Record<string, { icon: IconName; look: string }>

function Sign({ state }: { state: Step["state"] }) {
  const round = "flex size-6 shrink-0 items-center justify-center rounded-full"
  if (state === "current") {
    return (
      <span className={`${round} bg-notice-soft text-notice`}>
        <Spinner className="size-4" />
      </span>
    )
  }
  const { icon, look } = signs[state]
  return (
    <span className={`${round} ${look}`}>
      <Icon name={icon} className="size-3.5" />
    </span>
  )
}
