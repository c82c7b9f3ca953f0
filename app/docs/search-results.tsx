import MiniSearch from "minisearch"
import { useEffect, useMemo, useState } from "react"
import { type Choice, SearchChoices } from "#app/components/search-choices.tsx"
import type { SearchProps } from "#app/components/search-dialog.tsx"

/** An entry of the search: a section of a document, an endpoint or an error. */
export type Entry = { href: string; title: string; page: string; text: string }

const MOST = 20

export function SearchResults({ onClose, ...search }: SearchProps & { onClose: () => void }) {
  const { text } = search
  const [index, setIndex] = useState<MiniSearch<Entry> | "loading" | "failed">("loading")
  useEffect(() => {
    const leaving = new AbortController()
    load(leaving.signal).then(setIndex, () => leaving.signal.aborted || setIndex("failed"))
    return () => leaving.abort()
  }, [])
  const choices = useMemo(() => (typeof index === "object" ? find(index, text) : []), [index, text])
  const status =
    index === "failed"
      ? "The search could not be loaded. Close it and try again."
      : index === "loading"
        ? "Loading…"
        : text.trim() === ""
          ? "Enter words, an endpoint or an error code."
          : choices.length === 0
            ? "Nothing found. Try fewer or other words."
            : ""
  return (
    <SearchChoices
      {...search}
      choices={choices}
      onChoose={({ href }) => {
        onClose()
        location.assign(href!)
      }}
      isSearching={index === "loading"}
      status={status}
    />
  )
}

async function load(signal: AbortSignal): Promise<MiniSearch<Entry>> {
  const response = await fetch("/docs/search.gz", { signal })
  if (!response.ok || response.body === null) throw new Error(`The search answered ${response.status}`)
  const unpacked = response.body.pipeThrough(new DecompressionStream("gzip"))
  const entries: Entry[] = await new Response(unpacked).json()
  const index = new MiniSearch<Entry>({
    idField: "href",
    fields: ["title", "page", "text"],
    storeFields: ["title", "page", "text"],
    searchOptions: {
      boost: { title: 4, page: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: "AND",
    },
  })
  index.addAll(entries)
  return index
}

function find(index: MiniSearch<Entry>, text: string): Choice[] {
  return index
    .search(text)
    .slice(0, MOST)
    .map(({ id, title, page, text: around, terms }) => ({
      key: id,
      href: id,
      name: title,
      group: page,
      more: excerpt(around, terms),
    }))
}

/** The text around the first match. */
function excerpt(text: string, terms: string[]): string {
  const lower = text.toLowerCase()
  const at = Math.min(...terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0))
  const start = Number.isFinite(at) ? Math.max(0, lower.lastIndexOf(" ", Math.max(0, at - 30))) : 0
  return `${start > 0 ? "…" : ""}${text.slice(start, start + 140).trim()}`
}
