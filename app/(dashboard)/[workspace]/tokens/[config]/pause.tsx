"use client"

import { Confirm } from "../../../../components/confirm.tsx"
import { Button } from "../../../../components/ui/button.tsx"
import { useChange } from "../../../workspace.tsx"
import type { TokenView } from "../answers.ts"

/** Stops a token, or lets it go on, after asking. */
export function PauseButton({ token: { id, name, paused, transfer_mode } }: { token: TokenView }) {
  const change = useChange(
    (api) => (paused ? api.mintConfig.unpause.mutate({ id }) : api.mintConfig.pause.mutate({ id })),
    { refresh: ["tokens"], quiet: true },
  )
  return paused ? (
    <Confirm
      trigger={<Button>Unpause</Button>}
      title={`Unpause ${name}?`}
      description="Minting and moving go on, by the rules as they are."
      confirm="Unpause"
      danger={false}
      onConfirm={() => change.mutateAsync()}
    />
  ) : (
    <Confirm
      trigger={<Button>Pause</Button>}
      title={`Pause ${name}?`}
      description={`Nothing is minted or moved until it is unpaused${transfer_mode === "holder" ? ", by holders neither" : ""}. What is signed already may still land.`}
      confirm="Pause"
      onConfirm={() => change.mutateAsync()}
    />
  )
}
