import type { Heading } from "./markdown.ts"

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
