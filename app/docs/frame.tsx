import type { ReactNode } from "react"
import { placeOf, reference } from "./api/openapi.ts"
import { chapters } from "./documents.ts"
import type { Heading } from "./markdown.ts"

type Page = { href: string; title: string }

/** Pages that are not made from a document. */
const own: Page[] = [
  { href: "/docs", title: "Start" },
  { href: "/docs/api", title: "API reference" },
  { href: "/docs/errors", title: "Errors" },
]

type FrameProps = {
  /** The address of the page. */
  current: string
  /** The page's outline, for wide screens. */
  aside?: ReactNode
  /** For pages with columns: as wide as the screen allows. Text keeps its width. */
  isWide?: boolean
  children: ReactNode
}

/** A documentation page next to the contents. On small screens the contents are below, with a link in the top bar. */
export const Frame = ({ current, aside, isWide = false, children }: FrameProps) => (
  <div className="mx-auto max-w-[88rem] px-4 sm:px-6 lg:grid lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-10">
    <div className={`lg:col-start-2 ${aside ? "xl:grid xl:grid-cols-[minmax(0,1fr)_14rem] xl:gap-10" : ""}`}>
      <main id="main" tabIndex={-1} className={`min-w-0 py-8 ${isWide ? "max-xl:max-w-3xl" : "max-w-3xl"}`}>
        {children}
      </main>
      {aside && (
        <div className="sticky top-14 hidden max-h-[calc(100dvh-3.5rem)] self-start overflow-y-auto py-8 xl:block">
          {aside}
        </div>
      )}
    </div>
    <Contents current={current} />
  </div>
)

function Contents({ current }: { current: string }) {
  const pages = chapters().map(({ title, documents }) => ({
    title,
    pages: documents.map(({ path, title }) => ({ href: `/docs/${path}`, title })),
  }))
  return (
    <nav
      id="contents"
      aria-label="Contents"
      className="scroll-mt-14 space-y-5 border-t border-line py-8 text-sm lg:sticky lg:top-14 lg:col-start-1 lg:row-start-1 lg:-mx-3 lg:max-h-[calc(100dvh-3.5rem)] lg:self-start lg:overflow-y-auto lg:border-0 lg:px-3"
    >
      <Links pages={own} current={current} />
      {/* Endpoints are listed only on pages of the reference. */}
      {current.startsWith("/docs/api") &&
        reference().tags.map(({ slug, name, endpoints }) => (
          <div key={slug}>
            <p className="mb-1 font-semibold">{name}</p>
            <Links
              pages={endpoints.map((endpoint) => ({ href: placeOf(endpoint), title: endpoint.summary }))}
              current={current}
            />
          </div>
        ))}
      {pages.map(({ title, pages }) => (
        <div key={title}>
          <p className="mb-1 font-semibold">{title}</p>
          <Links pages={pages} current={current} />
        </div>
      ))}
    </nav>
  )
}

const Links = ({ pages, current }: { pages: Page[]; current: string }) => (
  <ul>
    {pages.map(({ href, title }) => (
      <li key={href}>
        <a
          href={href}
          {...(href === current && { "aria-current": "page" as const })}
          className="-mx-2 block rounded-md px-2 py-1 text-muted hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-ink pointer-coarse:py-2.5"
        >
          {title}
        </a>
      </li>
    ))}
  </ul>
)

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

/**
 * Text with examples: below the first part on narrow screens, and in view next to all of it on wide ones.
 */
export const WithExamples = ({ first, examples, children }: Record<"first" | "examples" | "children", ReactNode>) => (
  <div className="space-y-6 xl:grid xl:grid-cols-[minmax(0,1fr)_minmax(0,30rem)] xl:grid-rows-[auto_1fr] xl:gap-x-10 xl:gap-y-6 xl:space-y-0">
    <div className="min-w-0 xl:max-w-3xl">{first}</div>
    <div className="min-w-0 space-y-6 xl:sticky xl:top-20 xl:col-start-2 xl:row-span-2 xl:row-start-1 xl:max-h-[calc(100dvh-6rem)] xl:self-start xl:overflow-y-auto xl:[&_figure>section]:max-h-[45dvh] xl:[&_figure>section]:overflow-y-auto">
      {examples}
    </div>
    <div className="min-w-0 xl:max-w-3xl">{children}</div>
  </div>
)

/** The outline of the page, next to it. */
export const Outline = ({ headings }: { headings: Heading[] }) => (
  <nav aria-label="On this page" className="text-[13px]">
    <p className="mb-1 font-semibold">On this page</p>
    <ul>
      {headings.map(({ id, level, text }) => (
        <li key={id} className={level === 3 ? "pl-3" : undefined}>
          <a href={`#${id}`} className="block py-0.5 text-muted hover:text-ink">
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)
