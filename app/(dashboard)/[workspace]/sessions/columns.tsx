import { Ban, ClipboardCheck, Copy, QrCode, RotateCcw, UserRound } from "lucide-react"
import type { Filtered } from "#app/(dashboard)/filters.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { byTime } from "#app/(dashboard)/sort.ts"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Shortened, useCopy } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Link } from "#app/components/link.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { MenuItem, MenuSeparator } from "#app/components/ui/menu.tsx"
import { MenuLink } from "#app/components/ui/menu-link.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { shownName } from "#shared/visible.ts"
import { lastStepOf, type Session, waitOf } from "./progress.ts"

export type Doing = { what: "link" | "cancel" | "again"; session: Session }

export const columnsFor = (
  state: "open" | "closed",
  filtered: Filtered,
  act: (doing: Doing) => void,
): Column<Session>[] => [
  {
    header: "Investor",
    breaks: true,
    cell: ({ external_id, user_pubkey }) => (
      <span className="block min-w-32">
        {external_id === null ? <Shortened value={user_pubkey} /> : shownName(external_id)}
      </span>
    ),
    note: ({ external_id, user_pubkey }) => external_id !== null && <Shortened value={user_pubkey} />,
  },
  {
    header: "State",
    phone: "value",
    cell: (row) => <State session={row} />,
    note: (row) => showsStep(row) && <LastStep session={row} />,
  },
  { header: "Schema", phone: "none", className: "md:min-w-40", cell: ({ schema }) => <SchemaName id={schema} /> },
  { header: "Started", phone: "none", sort: byTime(filtered), cell: ({ started_at }) => <Ago at={started_at} /> },
  state === "open"
    ? { header: "Link expires", phone: "none", cell: ({ open_until }) => <Ago at={open_until} /> }
    : { header: "Closed", cell: ({ closed_at }) => <Ago at={closed_at} /> },
  actions((row) => <Actions session={row} act={act} />),
]

const isOpen = ({ status, state }: Session): boolean => status === "pending" && state !== "cancelled"

function State({ session }: { session: Session }) {
  const wait = waitOf(session)
  if (isOpen(session)) return <Badge tone={wait.tone}>{wait.words}</Badge>
  return session.state === "cancelled" ? <Badge>Cancelled</Badge> : <StatusBadge status={session.status} />
}

/** Whether the result does not say enough about what the investor did. */
const showsStep = (session: Session): boolean =>
  isOpen(session) || session.state === "expired" || session.state === "cancelled"

function LastStep({ session }: { session: Session }) {
  const { words, at } = lastStepOf(session)
  return (
    <>
      {words}
      {isOpen(session) && at && (
        <>
          {" "}
          <Ago at={at} />
        </>
      )}
    </>
  )
}

function Actions({ session, act }: { session: Session; act: (doing: Doing) => void }) {
  const { can } = useWorkspace()
  const path = usePath()
  const { session_url: url, session_id, open_until, state, user_pubkey, investor_id } = session
  const isOpen = url !== null && session_id !== null && open_until !== null && session.status === "pending"
  const mayStartAgain = can("kyc:write") && ["expired", "cancelled", "rejected"].includes(state)
  return (
    <span className="inline-flex items-center gap-2">
      {session.review ? (
        <Link
          href={path("reviews", session.review.review_id)}
          prefetch={false}
          className={buttonLook({ size: "sm", className: "max-md:hidden" })}
        >
          Open review<span className="sr-only"> of {user_pubkey}</span>
        </Link>
      ) : (
        isOpen && state !== "in_review" && <CopyLink url={url} wallet={user_pubkey} />
      )}
      <MoreMenu size="icon-sm" label={`Actions for the session of ${user_pubkey}`}>
        {session.review && (
          <MenuLink href={path("reviews", session.review.review_id)}>
            <ClipboardCheck aria-hidden="true" />
            Open review
          </MenuLink>
        )}
        {isOpen && state !== "in_review" && (
          <MenuItem onSelect={() => copyLink(url, () => act({ what: "link", session }))}>
            <Copy aria-hidden="true" />
            Copy link
          </MenuItem>
        )}
        {isOpen && (
          <MenuItem onSelect={() => act({ what: "link", session })} aria-haspopup="dialog">
            <QrCode aria-hidden="true" />
            Show link and QR code
          </MenuItem>
        )}
        {mayStartAgain && (
          <MenuItem onSelect={() => act({ what: "again", session })} aria-haspopup="dialog">
            <RotateCcw aria-hidden="true" />
            New link
          </MenuItem>
        )}
        <MenuLink href={path("investors", investor_id)}>
          <UserRound aria-hidden="true" />
          View investor
        </MenuLink>
        {isOpen && (
          <>
            <MenuSeparator />
            <MenuItem danger onSelect={() => act({ what: "cancel", session })} aria-haspopup="dialog">
              <Ban aria-hidden="true" />
              Cancel session
            </MenuItem>
          </>
        )}
      </MoreMenu>
    </span>
  )
}

/** Without a clipboard, the link is shown instead. */
async function copyLink(url: string, show: () => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(url)
    notify("Link copied")
  } catch {
    show()
  }
}

function CopyLink({ url, wallet }: { url: string; wallet: string }) {
  const { outcome, copy } = useCopy(url)
  return (
    <Button size="sm" onClick={copy} className="max-md:hidden">
      <Icon name={outcome === "copied" ? "check" : "copy"} />
      {/* The words share one place, so that the column keeps its width. */}
      <span className="grid *:col-start-1 *:row-start-1">
        <span className={outcome === null ? "" : "invisible"}>Copy link</span>
        <span role="status" className={outcome === null ? "invisible" : ""}>
          {outcome === "copied" ? "Copied" : outcome === "refused" ? "Not copied" : ""}
        </span>
      </span>
      <span className="sr-only"> of {wallet}</span>
    </Button>
  )
}
