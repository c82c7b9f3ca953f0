import type { ReactNode } from "react"
import { carriesSession } from "#app/(dashboard)/signed-in.ts"
import { Wordmark } from "#app/components/icons.tsx"
import { DocsSearch } from "./search.tsx"

const links = [
  { href: "/docs", name: "Docs" },
  { href: "/docs/api", name: "API reference" },
  { href: "/docs/errors", name: "Errors" },
]

/** Documentation pages. They need no session. Plain links keep each page small. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  // By the cookie alone, so that no page waits for the server to check it.
  const isSignedIn = await carriesSession()
  return (
    <>
      <a
        href="#main"
        className="sr-only z-40 rounded-md bg-surface px-4 py-2 text-sm font-medium focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <nav
        aria-label="Documentation"
        className="sticky top-0 z-30 flex h-14 items-center gap-4 border-b border-line bg-surface px-4 text-sm sm:gap-6 sm:px-6"
      >
        <a href="/" className="mr-auto rounded-md text-base">
          <Wordmark />
        </a>
        <DocsSearch />
        <a href="#contents" className="py-3 font-medium text-muted hover:text-ink lg:hidden">
          Contents
        </a>
        {links.map(({ href, name }) => (
          <a key={href} href={href} className="py-3 font-medium text-muted hover:text-ink max-sm:hidden">
            {name}
          </a>
        ))}
        {isSignedIn && (
          <a href="/" className="py-3 font-medium text-accent hover:text-accent-strong">
            Dashboard
          </a>
        )}
      </nav>
      {children}
    </>
  )
}
