import { useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import {
  type FreezeAct,
  type ServicedWallet,
  type TokenView,
  useToken,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { FreezeReason } from "#app/(dashboard)/freeze-note.tsx"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { FieldGroup, Form, Submit } from "#app/components/form.tsx"
import { Loaded } from "#app/components/frame.tsx"
import { problemOf } from "#app/components/problem.ts"
import { notify } from "#app/components/toast.ts"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { RadioCard } from "#app/components/ui/radio-card.tsx"
import type { ReasonCode } from "#shared/movements.ts"
import { checkWallet, FirstFields, GroundsFields, WalletConfirmation, WalletFacts } from "./servicing-fields.tsx"

const copy = {
  freeze: {
    title: "Freeze a wallet",
    description:
      "Stops mints and transfers to and from this wallet until you unfreeze it. You can still redeem its tokens, hold them and force a transfer. If holders can move a token themselves, the wallet’s account is also frozen on chain, usually within seconds.",
  },
  unfreeze: {
    title: "Unfreeze a wallet",
    description: "Mints and transfers to and from this wallet go through again, if no other rule stops them.",
  },
} satisfies Record<FreezeAct, { title: string; description: string }>

type SheetProps = { act: FreezeAct; of: ServicedWallet; onClose: () => void }

/** Freezes a wallet for its token or for every token, or lifts a freeze. */
export default function FreezeSheet({ act, of, onClose }: SheetProps) {
  return (
    <Dialog kind="right" insists {...copy[act]} onClose={onClose}>
      {(close) =>
        of.mint_config === null ? (
          <FreezeForm act={act} of={of} token={null} onDone={close} />
        ) : (
          <OfToken act={act} of={of} id={of.mint_config} onDone={close} />
        )
      }
    </Dialog>
  )
}

type FormProps = Omit<SheetProps, "onClose"> & { token: TokenView | null; onDone: () => void }

function OfToken({ id, ...props }: Omit<FormProps, "token"> & { id: string }) {
  return (
    <Loaded query={useToken(id)} what="the token" lines={8}>
      {(token) => <FreezeForm {...props} token={token} />}
    </Loaded>
  )
}

/** The freezes that can be set or lifted, the narrower one first. */
function choicesOf(act: FreezeAct, { mint_config, freezes }: ServicedWallet) {
  const scopes = mint_config === null ? [true] : [false, true]
  return scopes.flatMap((isForEveryToken) => {
    const freeze = freezes.find(({ is_for_every_token }) => is_for_every_token === isForEveryToken)
    return (freeze !== undefined) === (act === "unfreeze") ? [{ isForEveryToken, freeze }] : []
  })
}

function FreezeForm({ act, of, token, onDone }: FormProps) {
  const { wallet, freezes } = of
  const choices = choicesOf(act, of)
  const [isForEveryToken, setForEveryToken] = useState(choices[0]?.isForEveryToken ?? true)
  const [entered, setEntered] = useState({ reason: "", reference: "" })
  const reference = entered.reference.trim()
  const mintConfig = isForEveryToken ? null : of.mint_config
  const content = [act, mintConfig ?? "", wallet, entered.reason, reference]
  const idempotencyKey = useIdempotencyKey(content, entered.reason !== "" && reference !== "")
  const change = useMutation((api) =>
    idempotencyKey.send((key) =>
      api.token[act].mutate(
        {
          ...{ user_pubkey: wallet, reason_code: entered.reason as ReasonCode, reference },
          ...(mintConfig !== null && { mint_config: mintConfig }),
        },
        { context: { idempotencyKey: key } },
      ),
    ),
  )
  const names = { token: `Only ${token?.symbol}`, all: "Every token" }

  return (
    <Form
      check={(values) => (act === "freeze" ? checkWallet(values, wallet) : {})}
      onSubmit={async () => {
        await change.mutateAsync().catch((error) => {
          // The next form makes another request.
          if (problemOf(error).approvalId !== undefined) idempotencyKey.forget()
          throw error
        })
        idempotencyKey.forget()
        notify(done(act, freezes.length))
        onDone()
      }}
    >
      <WalletFacts token={token} of={of} />
      <FirstFields>
        {choices.length > 1 && (
          <FieldGroup name="scope" legend={act === "freeze" ? "Freeze it for" : "Which freeze to lift"}>
            <div className="space-y-2">
              {choices.map(({ isForEveryToken: isAll, freeze }) => (
                <RadioCard
                  key={String(isAll)}
                  name="scope"
                  checked={isForEveryToken === isAll}
                  onChange={() => setForEveryToken(isAll)}
                  title={isAll ? names.all : names.token}
                >
                  <span className="block text-[13px] text-muted">
                    {freeze ? (
                      <FreezeReason freeze={freeze} />
                    ) : isAll ? (
                      "All tokens of this workspace, and those created later."
                    ) : (
                      "The wallet’s other tokens stay as they are."
                    )}
                  </span>
                </RadioCard>
              ))}
            </div>
          </FieldGroup>
        )}
        <GroundsFields entered={entered} onChange={(name, value) => setEntered((was) => ({ ...was, [name]: value }))} />
      </FirstFields>
      {act === "freeze" && <WalletConfirmation wallet={wallet} />}
      <Submit variant={act === "freeze" ? "danger" : "primary"} className="w-full">
        {act === "freeze" ? "Freeze" : "Unfreeze"}
        {choices.length === 1 && (isForEveryToken ? " for every token" : ` for ${token?.symbol}`)}
      </Submit>
    </Form>
  )
}

function done(act: FreezeAct, before: number): string {
  if (act === "freeze") return "Wallet frozen"
  return before === 1 ? "Wallet unfrozen" : "Freeze lifted. The wallet’s other freeze still binds."
}
