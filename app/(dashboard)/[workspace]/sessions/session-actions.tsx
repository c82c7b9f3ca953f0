import { Ban, ClipboardCheck, Copy, QrCode, RotateCcw, UserRound } from "lucide-react"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { useCopy } from "#app/components/code.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Link } from "#app/components/link.tsx"
import { notify } from "#app/components/toast.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { MenuItem, MenuSeparator } from "#app/components/ui/menu.tsx"
import { MenuLink } from "#app/components/ui/menu-link.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { openLinkOf, type Session } from "./progress.ts"
import type { Doing } from "./session-dialogs.tsx"

type SessionActionsProps = {
  session: Session
  act: (doing: Doing) => void
  /** One of several in a list: small, and on a phone only the menu. */
  isInList?: boolean
}

/** The next step of a session as a button, and all that can be done with it as a menu. */
export function SessionActions({ session, act, isInList = false }: SessionActionsProps) {
  const { can } = useWorkspace()
  const path = usePath()
  const { state, user_pubkey, investor_id, review } = session
  const url = openLinkOf(session)
  const mayCopy = url !== null && state !== "in_review"
  const mayStartAgain = can("kyc:write") && ["expired", "cancelled", "rejected"].includes(state)
  return (
    <span className="inline-flex items-center gap-2">
      {review ? (
        <Link
          href={path("reviews", review.review_id)}
          prefetch={false}
          className={buttonLook(isInList ? { size: "sm", className: "max-md:hidden" } : { variant: "primary" })}
        >
          Open review{isInList && <span className="sr-only"> of {user_pubkey}</span>}
        </Link>
      ) : (
        mayCopy && <CopyLink url={url} wallet={user_pubkey} isInList={isInList} />
      )}
      <MoreMenu {...(isInList && { size: "icon-sm" as const, label: `Actions for the session of ${user_pubkey}` })}>
        {isInList && review && (
          <MenuLink href={path("reviews", review.review_id)}>
            <ClipboardCheck aria-hidden="true" />
            Open review
          </MenuLink>
        )}
        {isInList && mayCopy && (
          <MenuItem onSelect={() => copyLink(url, () => act({ what: "link", session }))}>
            <Copy aria-hidden="true" />
            Copy link
          </MenuItem>
        )}
        {url !== null && (
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
        {url !== null && (
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

function CopyLink({ url, wallet, isInList }: { url: string; wallet: string; isInList: boolean }) {
  const { outcome, copy } = useCopy(url)
  return (
    <Button {...(isInList ? { size: "sm", className: "max-md:hidden" } : { variant: "primary" })} onClick={copy}>
      <Icon name={outcome === "copied" ? "check" : "copy"} />
      {/* The words share one place, so that the button keeps its width. */}
      <span className="grid *:col-start-1 *:row-start-1">
        <span className={outcome === null ? "" : "invisible"}>Copy link</span>
        <span role="status" className={outcome === null ? "invisible" : ""}>
          {outcome === "copied" ? "Copied" : outcome === "refused" ? "Not copied" : ""}
        </span>
      </span>
      {isInList && <span className="sr-only"> of {wallet}</span>}
    </Button>
  )
}
