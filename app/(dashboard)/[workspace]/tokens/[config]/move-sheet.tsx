import { lazy, Suspense, useEffect } from "react"
import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Loading } from "#app/components/states.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import type { MoveKind } from "./move.tsx"

// Loaded right after the page, which does not need it to render.
const load = () => import("./move.tsx")
const Move = lazy(load)

const copy = {
  mint: {
    verb: "Mint",
    describe: "Creates new tokens in a verified wallet. All rules are checked first.",
  },
  transfer: {
    verb: "Transfer",
    describe: "Moves tokens between two verified wallets. All rules are checked first.",
  },
} as const

/** Mints or transfers: the form with the rules check, then the progress of the operation. */
export function MoveSheet({ token, kind }: { token: TokenView; kind: MoveKind }) {
  const { verb, describe } = copy[kind]
  useEffect(() => void load(), [])
  return (
    <Dialog
      kind="right"
      trigger={<Button variant={kind === "mint" ? "primary" : "outline"}>{verb}</Button>}
      title={`${verb} ${token.symbol}`}
      description={describe}
    >
      <Suspense fallback={<Loading what="Loading the form" />}>
        <Move token={token} kind={kind} />
      </Suspense>
    </Dialog>
  )
}
