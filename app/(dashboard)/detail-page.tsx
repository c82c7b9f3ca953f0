import { clsx } from "clsx"
import { Search } from "lucide-react"
import type { ReactNode } from "react"
import { Loaded, PageHeader, type Query } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { problemOf } from "#app/components/problem.ts"
import { Timestamp } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { Breadcrumbs, type Crumb } from "./breadcrumbs.tsx"
import { showSearch } from "./keys.tsx"
import { usePath } from "./workspace.tsx"

type Head = {
  /** What is shown, in code: a path, an address, a type. Also the browser's title. */
  code?: string
  heading?: ReactNode
  badge?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}

/** A page about one thing: a link to its list, its heading, and its content once it is loaded. */
export function DetailPage<Data>({
  up,
  between,
  name,
  query,
  what = `the ${name.toLowerCase()}`,
  missing = {
    code: `${name.toLowerCase()}_not_found`,
    title: `${name} not found`,
    text: "Check the id, or look in the other workspace: test and live are separate.",
  },
  head,
  children,
}: {
  /** The page above. */
  up: Crumb
  /** A page between that one and this. */
  between?: (data: Data) => Crumb
  /** What the page is about, such as "Attestation". */
  name: string
  query: Query<Data>
  what?: string
  /** What to say instead of a failure with this code. */
  missing?: { code: string; title: string; text: string }
  head: (data: Data) => Head
  children: (data: Data) => ReactNode
}) {
  const path = usePath()
  const list = path(...up[0])
  const isMissing = query.data === undefined && query.error && problemOf(query.error).code === missing.code
  const { code, heading = name, badge, description, actions }: Head = query.data ? head(query.data) : {}
  return (
    <>
      <Breadcrumbs of={[up, ...(between && query.data ? [between(query.data)] : [])]} />
      {isMissing ? (
        <PageHeader
          title={missing.title}
          description={missing.text}
          actions={
            <>
              <Button aria-haspopup="dialog" aria-keyshortcuts="Meta+K Control+K" onClick={showSearch}>
                <Search aria-hidden="true" />
                Search
              </Button>
              <Link href={list} className={buttonLook({ variant: "primary" })}>
                Go to {up[1]}
              </Link>
            </>
          }
        />
      ) : (
        <>
          <PageHeader
            title={code ?? name}
            heading={
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
                {code === undefined ? (
                  <span className="wrap-anywhere">{heading}</span>
                ) : (
                  <code className="font-mono text-lg font-medium wrap-anywhere">{code}</code>
                )}
                {badge}
              </span>
            }
            description={description}
            actions={actions}
          />
          <Loaded query={query} what={what} lines={8} isFramed>
            {children}
          </Loaded>
        </>
      )}
    </>
  )
}

type ColumnsProps = {
  wide: ReactNode
  narrow: ReactNode
  /** Whether the narrow column is what one acts with: on wide screens it stays in view. */
  acts?: boolean
}

/** Two columns, of which the first is wider. */
export const TwoColumns = ({ wide, narrow, acts = false }: ColumnsProps) => (
  <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
    <div className="min-w-0 space-y-4">{wide}</div>
    <div
      className={clsx(
        "min-w-0 space-y-4",
        acts && "lg:sticky lg:top-18 lg:max-h-[calc(100dvh-5.5rem)] lg:overflow-y-auto lg:rounded-xl",
      )}
    >
      {narrow}
    </div>
  </div>
)

/** What happened, each with a dot: `bg-accent` for the moments that count. */
export const Timeline = ({ children, className = "space-y-5" }: { children: ReactNode; className?: string }) => (
  <ol className={clsx("border-l border-line pl-5", className)}>{children}</ol>
)

type MomentProps = {
  dot?: string | undefined
  what: ReactNode
  at: string
  more?: ReactNode
  children?: ReactNode
}

export const Moment = ({ dot = "bg-field", what, at, more, children }: MomentProps) => (
  <li className="relative">
    <span
      aria-hidden="true"
      className={clsx("absolute top-1.5 -left-[1.5625rem] size-2 rounded-full ring-4 ring-surface", dot)}
    />
    <p className="font-medium">{what}</p>
    <p className="text-[13px] text-muted">
      <Timestamp at={at} />
      {more}
    </p>
    {children}
  </li>
)
