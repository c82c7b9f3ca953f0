import { Search } from "lucide-react"
import { usePathname, useRouter } from "next/navigation.js"
import { lazy, Suspense, useEffect, useRef } from "react"
import { isSearchKey, isTyping } from "#app/components/keys.ts"
import { SearchDialog } from "#app/components/search-dialog.tsx"
import { createStore } from "#app/components/store.ts"
import { Button } from "#app/components/ui/button.tsx"
import { useWhenIdle } from "#app/components/use-when-idle.ts"
import { pressOnPage } from "./page-keys.tsx"
import { rememberPath } from "./recent.ts"
import { goTo, readsSingleKeys } from "./sections.ts"
import { useMe, usePath, useWorkspace } from "./workspace.tsx"

const load = () => import("./palette.tsx")
const Palette = lazy(async () => ({ default: (await load()).Palette }))
const Shortcuts = lazy(async () => ({ default: (await load()).Shortcuts }))

const PAIR_MS = 1500

const dialog = createStore<"palette" | "shortcuts" | null>(null)

export const showSearch = () => dialog.set("palette")
export const showShortcuts = () => dialog.set("shortcuts")

/** The global search and the keyboard shortcuts, on every page of a workspace. What they open loads when the page is idle. */
export function Keys() {
  const router = useRouter()
  const path = usePath()
  const shown = dialog.use()
  const begun = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    function press(event: KeyboardEvent) {
      const { key, target, timeStamp } = event
      if (event.isComposing || event.repeat) return
      if (isSearchKey(event)) {
        event.preventDefault()
        dialog.set(dialog.read() === "palette" ? null : "palette")
        return
      }
      // Ignored while the reader types, and in an open dialog, which handles its own keys.
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(target) || document.querySelector("dialog[open]"))
        return
      if (!readsSingleKeys()) return
      const isSecond = timeStamp - begun.current < PAIR_MS
      begun.current = Number.NEGATIVE_INFINITY
      if (isSecond) {
        const [, section] = goTo.find(([letter]) => letter === key) ?? []
        if (section) router.push(path(section))
      } else if (key === "g") begun.current = timeStamp
      else if (key === "?") showShortcuts()
      else if (key === "/") {
        const first = document.querySelector<HTMLInputElement>("main input[type=search]")
        if (first === null) return showSearch()
        event.preventDefault()
        first.focus()
      } else {
        // A field that it focuses must not receive the key as well.
        if (pressOnPage(key)) event.preventDefault()
        else if (key === "j") focusRow(1)
        else if (key === "k") focusRow(-1)
      }
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [router, path])

  useRecording()
  useWhenIdle(load)

  const close = () => dialog.set(null)
  return (
    <>
      <Button
        variant="ghost"
        size="icon-sm"
        // From 1024 px it looks like a field.
        className="lg:w-60 lg:justify-start! lg:border-field/60 lg:bg-sunken lg:px-2.5 lg:font-normal! lg:text-muted"
        aria-label="Search everything"
        aria-haspopup="dialog"
        aria-keyshortcuts="Meta+K Control+K"
        title="Search (⌘K or Ctrl K)"
        onClick={showSearch}
      >
        <Search aria-hidden="true" />
        <span aria-hidden="true" className="flex flex-1 items-center justify-between text-[13px] max-lg:hidden">
          Search everything
          <kbd className="rounded border border-line bg-surface px-1.5 font-sans text-xs leading-5">
            {isApple() ? "⌘ K" : "Ctrl K"}
          </kbd>
        </span>
      </Button>
      {shown === "palette" && (
        <SearchDialog title="Search everything" placeholder="Person, wallet, id, page or action" onClose={close}>
          {(search) => <Palette {...search} onClose={close} onShortcuts={showShortcuts} />}
        </SearchDialog>
      )}
      <Suspense>{shown === "shortcuts" && <Shortcuts onClose={close} />}</Suspense>
    </>
  )
}

/** Focuses the link of the next or previous row of the page's lists, which Enter opens. */
function focusRow(step: 1 | -1) {
  const links = [...document.querySelectorAll<HTMLElement>("main [data-opener]")]
  const row = document.activeElement?.closest("[data-opens]")
  const at = links.findIndex((link) => row?.contains(link))
  links[at === -1 ? 0 : at + step]?.focus()
}

/** Whether the keyboard has ⌘. Only for what the browser renders. */
const isApple = (): boolean => /Mac|iP/.test(navigator.platform)

/** Remembers the objects that the member opens, for the search. */
function useRecording() {
  const { id } = useWorkspace()
  const user = useMe().data?.user.id
  const pathname = usePathname()
  useEffect(() => {
    const [, workspace, ...parts] = pathname.split("/")
    if (user && workspace === id) rememberPath(id, user, parts.join("/"))
  }, [id, user, pathname])
}
