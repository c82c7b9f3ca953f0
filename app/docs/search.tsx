"use client"

import { Search } from "lucide-react"
import { lazy, useEffect, useState } from "react"
import { isSearchKey, isTyping } from "#app/components/keys.ts"
import { SearchDialog } from "#app/components/search-dialog.tsx"
import { useWhenIdle } from "#app/components/use-when-idle.ts"

const load = () => import("./search-results.tsx")
const Results = lazy(async () => ({ default: (await load()).SearchResults }))

/** The search button and its shortcuts. The entries load when it opens. */
export function DocsSearch() {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  useWhenIdle(load)
  // The contents are longer than most windows, so they scroll to the current page.
  useEffect(() => {
    const contents = document.getElementById("contents")
    const current = contents?.querySelector<HTMLElement>("[aria-current]")
    // Not `scrollIntoView`: on a small screen that would scroll the page.
    if (contents && current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2
  }, [])
  useEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.isComposing || event.repeat) return
      const isSlash = event.key === "/" && !event.metaKey && !event.ctrlKey && !event.altKey
      const opens = isSearchKey(event) || (isSlash && !isTyping(event.target))
      if (!opens || document.querySelector("dialog[open]")) return
      event.preventDefault()
      setOpen(true)
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [])
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="/ Meta+K Control+K"
        title="Search (/ or Ctrl K)"
        onClick={() => setOpen(true)}
        className="inline-flex h-9 cursor-pointer items-center gap-2 rounded-md border border-field bg-surface px-2.5 text-muted hover:text-ink pointer-coarse:h-11 noscript:hidden"
      >
        <Search aria-hidden="true" className="size-4" />
        <span className="max-sm:sr-only">Search</span>
      </button>
      {isOpen && (
        <SearchDialog title="Search the documentation" placeholder="Words, endpoint or error code" onClose={close}>
          {(search) => <Results {...search} onClose={close} />}
        </SearchDialog>
      )}
    </>
  )
}
