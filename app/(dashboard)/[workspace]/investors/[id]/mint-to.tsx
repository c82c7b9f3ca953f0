import { useRouter } from "next/navigation.js"
import { type RouterOutputs, usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import { shorten } from "#app/components/code.tsx"
import { SelectField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { Empty, Loaded } from "#app/components/frame.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"

type MintToProps = { investor: RouterOutputs["investor"]["view"]; onClose: () => void }

/** Chooses the token and the wallet of a mint to a person, and opens the form of the token. */
export default function MintTo({ investor: { wallets }, onClose }: MintToProps) {
  const tokens = useQuery("mintConfig.list", {})
  const router = useRouter()
  const path = usePath()
  const options = tokens.data?.data.map(({ id, name, symbol }) => [id, `${name} (${symbol})`] as const)
  if (!options || options.length === 0) {
    return (
      <Dialog onClose={onClose} title="Mint to this investor">
        <Loaded query={tokens} what="the tokens">
          {() => <Empty title="No tokens yet">Create a token first.</Empty>}
        </Loaded>
      </Dialog>
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Mint to this investor"
      description="All rules are checked before anything is minted."
      submit="Continue"
      onSubmit={(values) => {
        const wallet = String(values.get("wallet"))
        router.push(`${path("tokens", String(values.get("token")))}?${new URLSearchParams({ form: "mint", wallet })}`)
      }}
    >
      <SelectField label="Token" name="token" required options={options} />
      <SelectField
        label="Wallet"
        name="wallet"
        required
        options={wallets
          .filter(({ bar }) => bar === null)
          .map(({ user_pubkey }) => [user_pubkey, shorten(user_pubkey)] as const)}
      />
    </FormDialog>
  )
}
