import { lazy, Suspense, useState } from "react"
import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"

// Loaded on first use.
const Confirm = lazy(async () => ({ default: (await import("#app/components/form-dialog.tsx")).Confirm }))

const copyFor = ({ name, transfer_mode }: TokenView) => ({
  pause: {
    title: `Pause ${name}?`,
    description: `Minting and transfers${transfer_mode === "holder" ? ", also by holders," : ""} stop until you unpause it. Transactions already signed may still be confirmed.`,
    confirm: "Pause",
    danger: true,
  },
  unpause: {
    title: `Unpause ${name}?`,
    description: "Minting and transfers resume under the current rules.",
    confirm: "Unpause",
    danger: false,
  },
})

/** Pauses or unpauses a token, after a confirmation. */
export function PauseButton({ token }: { token: TokenView }) {
  const { id, paused } = token
  // Keeps the texts of the action being confirmed, although the token's state changes while it runs.
  const [pending, setPending] = useState<"pause" | "unpause" | null>(null)
  const verb = paused ? "unpause" : "pause"
  const change = useMutation((api, verb: "pause" | "unpause") => api.mintConfig[verb].mutate({ id }))
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setPending(verb)}>
        {paused ? "Unpause" : "Pause"}
      </Button>
      {pending && (
        <Suspense>
          <Confirm
            {...copyFor(token)[pending]}
            onClose={() => setPending(null)}
            onConfirm={() => change.mutateAsync(pending)}
          />
        </Suspense>
      )}
    </>
  )
}
