import { PageHeader } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Frame } from "./frame.tsx"

const link = "rounded-sm text-accent underline underline-offset-2"

/** For an address below /docs that has no page. */
export default function NotFound() {
  return (
    <Frame current="">
      <PageHeader
        title="Page not found"
        description="The documentation has no page at this address. Search it above, or choose a page in the contents."
      />
      <ul className="list-disc space-y-1 pl-5 text-sm">
        {(
          [
            ["/docs", "Guides"],
            ["/docs/api", "API reference"],
            ["/docs/errors", "Errors"],
          ] as const
        ).map(([href, title]) => (
          <li key={href}>
            <Link href={href} className={link}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </Frame>
  )
}
