import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"

const copyFor = ({ name, transfer_mode }: TokenView) => ({
  pause: {
    title: `Pause ${name}?`,
    description: `Nothing is minted, moved or redeemed${transfer_mode === "holder" ? ", not even by holders," : ""} until you unpause it. Transactions already signed may still be confirmed.`,
    confirm: "Pause",
    danger: true,
  },
  unpause: {
    title: `Unpause ${name}?`,
    description: "Mints, transfers and redemptions resume under the current rules.",
    confirm: "Unpause",
    danger: false,
  },
})

type PauseQuestionProps = { token: TokenView; verb: "pause" | "unpause"; onClose: () => void }

export default function PauseQuestion({ token, verb, onClose }: PauseQuestionProps) {
  const change = useMutation((api) => api.mintConfig[verb].mutate({ id: token.id }))
  return <Confirm {...copyFor(token)[verb]} onClose={onClose} onConfirm={() => change.mutateAsync()} />
}
