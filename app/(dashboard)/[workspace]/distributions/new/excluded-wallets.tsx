import { PersonPicker } from "#app/(dashboard)/person-picker.tsx"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { Shortened } from "#app/components/code.tsx"
import { Removable } from "#app/components/removable.tsx"
import { isAddress } from "#shared/address.ts"

export type Excluded = {
  wallet: string
  /** Null if the address was pasted. */
  name: string | null
}

export const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "")

type ExcludedWalletsProps = {
  mintConfig: string
  excluded: readonly Excluded[]
  /** What is in the field and not in the list yet: a name, or one address. */
  text: string
  onChange: (excluded: readonly Excluded[], text: string) => void
}

/** The wallets that get nothing: people chosen by name, and pasted addresses. */
export function ExcludedWallets({ mintConfig, excluded, text, onChange }: ExcludedWalletsProps) {
  const add = (more: readonly Excluded[]) =>
    onChange(
      [...excluded, ...more].filter(({ wallet }, at, all) => all.findIndex((one) => one.wallet === wallet) === at),
      "",
    )
  return (
    <div>
      <PersonPicker
        name="exclude"
        label="Wallets that get nothing (optional)"
        hint="Choose people, or paste addresses separated by spaces."
        required={false}
        value={text}
        onChange={(text) => {
          const words = wordsIn(text)
          // A single address stays, because it may not be complete yet.
          const isList = words.length > 1 || (words.length === 1 && /[\s,]$/.test(text))
          if (isList && words.every(isAddress)) add(words.map((wallet) => ({ wallet, name: null })))
          else onChange(excluded, text)
        }}
        onPick={(person) => add([{ wallet: person.user_pubkey, name: nameOf(person) }])}
        of={{ mint_config: mintConfig }}
      />
      {excluded.length > 0 && (
        <ul aria-label="Wallets that get nothing" className="mt-2 flex flex-wrap gap-1.5">
          {excluded.map(({ wallet, name }) => (
            <li key={wallet} title={wallet}>
              <Removable
                onRemove={() =>
                  onChange(
                    excluded.filter((one) => one.wallet !== wallet),
                    text,
                  )
                }
              >
                {name ?? <Shortened value={wallet} />}
              </Removable>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
