import type { ReactNode } from "react"
import { Wordmark } from "../components/wordmark.tsx"

const links = [
  { href: "/docs/api", name: "API reference" },
  { href: "/docs/errors", name: "Errors" },
]

/** Pages for whoever builds on this server. They need no session; plain links, as each loads what only it needs. */
export default function DocsLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <header className="sticky top-0 z-30 flex h-14 items-center justify-between gap-4 border-b border-line bg-surface px-4 sm:px-6">
        <a href="/" className="rounded-md">
          <Wordmark />
        </a>
        <nav aria-label="Documentation" className="flex gap-4 text-sm sm:gap-6">
          {links.map(({ href, name }) => (
            <a key={href} href={href} className="py-3 font-medium text-muted hover:text-ink">
              {name}
            </a>
          ))}
        </nav>
      </header>
      {children}
    </>
  )
}
