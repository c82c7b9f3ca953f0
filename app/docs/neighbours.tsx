type Page = { href: string; title: string }

/** Links to the previous and next page in the order of the contents. */
export const Neighbours = ({ before, after }: { before: Page | null; after: Page | null }) => (
  <nav aria-label="Previous and next page" className="mt-12 flex flex-wrap justify-between gap-4 text-sm">
    {before ? <Neighbour rel="prev" page={before} /> : <span />}
    {after && <Neighbour rel="next" page={after} />}
  </nav>
)

const Neighbour = ({ rel, page }: { rel: "prev" | "next"; page: Page }) => (
  <a
    rel={rel}
    href={page.href}
    className={`rounded-lg border border-line bg-surface px-4 py-2.5 hover:bg-sunken ${rel === "next" ? "text-right" : ""}`}
  >
    <span className="block text-xs text-muted">{rel === "next" ? "Next" : "Previous"}</span>
    {page.title}
  </a>
)
