import { Flame, Pause, Play } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"

// Loaded on first use.
const PauseQuestion = lazy(() => import("./pause-question.tsx"))
const RedeemSheet = lazy(() => import("./redeem-sheet.tsx"))

/** What is done to a token less often than minting and transferring it. */
export function MoreActions({ token }: { token: TokenView }) {
  const { can } = useWorkspace()
  const { paused } = token
  const [isRedeeming, setRedeeming] = useState(false)
  // Keeps the texts of the action being confirmed, although the token's state changes while it runs.
  const [pending, setPending] = useState<"pause" | "unpause" | null>(null)
  const verb = paused ? "unpause" : "pause"
  return (
    <>
      <MoreMenu>
        {can("token:burn") && (
          <MenuItem danger onSelect={() => setRedeeming(true)}>
            <Flame aria-hidden="true" />
            Redeem
          </MenuItem>
        )}
        {can("config:write") && (
          <MenuItem danger={!paused} onSelect={() => setPending(verb)}>
            {paused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
            {paused ? "Unpause" : "Pause"}
          </MenuItem>
        )}
      </MoreMenu>
      {isRedeeming && (
        <Suspense>
          <RedeemSheet token={token} onClose={() => setRedeeming(false)} />
        </Suspense>
      )}
      {pending && (
        <Suspense>
          <PauseQuestion token={token} verb={pending} onClose={() => setPending(null)} />
        </Suspense>
      )}
    </>
  )
}
