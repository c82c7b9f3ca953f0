"use client"

import { Search } from "lucide-react"
import { useRouter } from "next/navigation.js"
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import type { RouterOutputs } from "#app/api.ts"
import { Dialog, DialogContent } from "#app/components/ui/dialog.tsx"
import type { Permission } from "#shared/scopes.ts"
import { sections } from "./sections.ts"
import { useDebounced, usePath, useQuery, useWorkspace } from "./workspace.tsx"

type Found = RouterOutputs["find"]["all"]["data"][number]
type Choice = { key: string; group: string; name: string; more: string | null; href: string | null }

/** Nothing is asked of the server before so many characters, and while they are still being typed. */
const LEAST = 2
const TYPING_MS = 200

const kinds: Record<Found["kind"], string> = {
  investor: "Investor",
  attestation: "Attestation",
  session: "Session",
  operation: "Operation",
  token: "Token",
  schema: "Schema",
  review: "Review",
  event: "Event",
  endpoint: "Webhook endpoint",
  request: "Request",
  key: "API key",
  member: "Member",
}

/** Goes to a page, a wallet, an id or a person by a few letters of it. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const router = useRouter()
  const asked = useDebounced(text.trim(), TYPING_MS)
  const found = useQuery(["find", asked], (api, signal) => api.find.all.query({ text: asked }, { signal }), {
    enabled: asked.length >= LEAST,
    keep: true,
  })
  const pages = usePages(text.trim())
  const path = usePath()
  const isCurrent = asked === text.trim()
  const choices: Choice[] = [
    ...pages,
    ...(asked.length >= LEAST && text.trim() !== "" ? (found.data?.data ?? []) : []).map((one) => ({
      key: `${one.kind} ${one.path.join("/")} ${one.name}`,
      group: kinds[one.kind],
      name: one.name,
      more: one.more,
      href: path(...one.path),
    })),
  ]
  const active = Math.min(at, choices.length - 1)
  const idOf = (index: number) => `${id}-${index}`

  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" })
  })

  function go(choice: Choice | undefined) {
    if (choice === undefined) return
    if (choice.href === null) return onShortcuts()
    onClose()
    router.push(choice.href)
  }
  function press(event: KeyboardEvent) {
    const last = choices.length - 1
    const to: Record<string, number> = {
      ArrowDown: active >= last ? 0 : active + 1,
      ArrowUp: active <= 0 ? last : active - 1,
    }
    const next = to[event.key]
    if (next !== undefined) setAt(next)
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) go(choices[active])
    else return
    event.preventDefault()
  }

  const isSearching = text.trim().length >= LEAST && (!isCurrent || found.isFetching)
  const problem = isCurrent && found.error && !found.isFetching
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent title="Search everything" className="mt-[12dvh]! max-w-xl!">
        <div className="relative">
          <Search
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
          />
          <input
            autoFocus
            type="text"
            role="combobox"
            aria-label="Search everything"
            aria-expanded={choices.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            {...(choices.length > 0 && { "aria-activedescendant": idOf(active) })}
            placeholder="Page, wallet, id or name"
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              setAt(0)
            }}
            onKeyDown={press}
            className="h-11 w-full rounded-md border border-field bg-surface pr-3 pl-9 text-base text-ink placeholder:text-muted"
          />
        </div>
        <div
          ref={list}
          id={`${id}-list`}
          role="listbox"
          aria-label="Results"
          className="mt-3 max-h-[50dvh] overflow-y-auto"
        >
          {choices.map((choice, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box above has the keys
            <div
              key={choice.key}
              id={idOf(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              onMouseMove={() => setAt(index)}
              onClick={() => go(choice)}
              className="flex cursor-pointer items-baseline justify-between gap-4 rounded-md px-3 py-2 aria-selected:bg-accent-soft"
            >
              <span className="min-w-0">
                <span className="block truncate">{choice.name}</span>
                {choice.more && <span className="block truncate text-xs text-muted">{choice.more}</span>}
              </span>
              <span className="shrink-0 text-xs text-muted">{choice.group}</span>
            </div>
          ))}
        </div>
        <p role="status" className="mt-2 min-h-5 text-[13px] text-muted">
          {problem
            ? "The search does not answer. Try again in a moment."
            : isSearching
              ? "Searching…"
              : choices.length === 0
                ? text.trim().length < LEAST
                  ? "Type a little more."
                  : "Nothing found. Wallets are found by how they begin or end, ids as a whole."
                : ""}
        </p>
      </DialogContent>
    </Dialog>
  )
}

/** Pages by a part of their names; all of them before anything is typed. */
function usePages(text: string): Choice[] {
  const path = usePath()
  const { can } = useWorkspace()
  const ofWorkspace = Object.entries<{ name: string; needs?: Permission }>(sections)
    .filter(([, { needs }]) => needs === undefined || can(needs))
    .map(([section, { name }]) => ({ name, href: path(section) }))
  const others = [
    { name: "Your account", href: `${path("settings")}?part=account` },
    { name: "Workspace settings", href: `${path("settings")}?part=workspace` },
    { name: "Monitoring", href: `${path("settings")}?part=monitoring` },
    { name: "Documentation", href: "/docs" },
    { name: "API reference", href: "/docs/api" },
    { name: "Errors", href: "/docs/errors" },
    { name: "Keyboard shortcuts", href: null },
  ]
  const wanted = text.toLowerCase()
  return [...ofWorkspace, ...others]
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map(({ name, href }) => ({ key: `page ${name}`, group: "Page", name, more: null, href }))
}
