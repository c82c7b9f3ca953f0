"use client"

import { useRouter } from "next/navigation.js"
import { useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import { reasonNames } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useApi, usePath, useQuery, useRefresh } from "#app/(dashboard)/workspace.tsx"
import { Form, SelectField, Submit, TextField } from "#app/components/form.tsx"
import { Card, Loaded, PageHeader } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { instantIn, useTimeZone } from "#app/components/zone.ts"
import type { Settlement } from "#shared/distributions.ts"
import type { ReasonCode } from "#shared/movements.ts"
import { toTimestamp } from "#shared/timestamp.ts"
import { settlementWords } from "../words.ts"

export default function Page() {
  const path = usePath()
  const tokens = useQuery("mintConfig.list", {})
  return (
    <>
      <p className="mb-2 text-[13px]">
        <Link href={path("distributions")} className="text-muted hover:underline">
          Distributions
        </Link>
      </p>
      <PageHeader
        title="Create distribution"
        description="This drafts it. You see what each holder gets, and who cannot be paid now, before anything is paid."
      />
      <Loaded query={tokens} what="the tokens">
        {({ data }) => <DistributionForm tokens={data.map(({ id, name }) => [id, name])} />}
      </Loaded>
    </>
  )
}

const NOTHING = {
  ...{ token: "", settlement: "stablecoin" as Settlement, mint: "", basis: "total", amount: "", minimum: "" },
  ...{ recordAt: "", exclude: "", reason: "dividend", reference: "" },
}

function DistributionForm({ tokens }: { tokens: [string, string][] }) {
  const api = useApi()
  const path = usePath()
  const router = useRouter()
  const refresh = useRefresh()
  const zone = useTimeZone()
  const [entered, setEntered] = useState({ ...NOTHING, token: tokens.length === 1 ? tokens[0]![0] : "" })
  const set =
    (name: keyof typeof entered) =>
    ({ target }: { target: { value: string } }) =>
      setEntered((before) => ({ ...before, [name]: target.value }))
  const { settlement, basis } = entered
  const key = useIdempotencyKey(Object.values(entered), entered.amount !== "")
  const recordAt = instantIn(zone, entered.recordAt)
  const exclude = entered.exclude.split(/[\s,]+/).filter((one) => one !== "")

  return (
    <Card title="What is paid">
      <Form
        className="max-w-xl space-y-4"
        onSubmit={async () => {
          const { distribution_id } = await api.distribution.create.mutate(
            {
              ...{
                mint_config: entered.token,
                settlement,
                exclude: exclude as never,
                reference: entered.reference.trim(),
              },
              ...{ reason_code: entered.reason as ReasonCode },
              ...(settlement === "stablecoin" && { payment_mint: entered.mint }),
              ...(basis === "total" ? { total: entered.amount.trim() } : { per_unit: entered.amount.trim() }),
              ...(entered.minimum.trim() !== "" && { minimum: entered.minimum.trim() }),
              ...(recordAt !== null && { record_at: toTimestamp(recordAt) }),
            },
            { context: { idempotencyKey: key.keyOf() } },
          )
          key.forget()
          void refresh()
          router.push(path("distributions", distribution_id))
        }}
      >
        <SelectField
          name="mint_config"
          label="Token"
          required
          value={entered.token}
          onChange={set("token")}
          options={[["", "Choose a token"], ...tokens]}
        />
        <TextField
          name="record_at"
          label="Record date (optional)"
          hint={`In ${zone}. Everyone who held the token at the end of this second is paid. Without it: now.`}
          type="datetime-local"
          value={entered.recordAt}
          onChange={set("recordAt")}
        />
        <SelectField
          name="settlement"
          label="Settlement"
          required
          value={settlement}
          onChange={set("settlement")}
          options={Object.entries(settlementWords)}
        />
        {settlement === "stablecoin" && <PaymentMint value={entered.mint} onChange={set("mint")} />}
        <SelectField
          name="basis"
          label="Amount"
          required
          value={basis}
          onChange={set("basis")}
          options={[
            ["total", "A total, divided in proportion"],
            ["per_unit", "An amount for each whole token"],
          ]}
        />
        <TextField
          name={basis === "total" ? "total" : "per_unit"}
          label={basis === "total" ? "Total" : "For each token"}
          required
          inputMode="decimal"
          autoComplete="off"
          value={entered.amount}
          onChange={set("amount")}
        />
        <TextField
          name="minimum"
          label="Smallest payout (optional)"
          hint="What is below it is not paid."
          inputMode="decimal"
          autoComplete="off"
          value={entered.minimum}
          onChange={set("minimum")}
        />
        <TextField
          name="exclude"
          label="Wallets that get nothing (optional)"
          hint="Addresses, separated by spaces."
          autoComplete="off"
          spellCheck={false}
          value={entered.exclude}
          onChange={set("exclude")}
        />
        <SelectField
          name="reason_code"
          label="Reason"
          required
          value={entered.reason}
          onChange={set("reason")}
          options={Object.entries(reasonNames)}
        />
        <TextField
          name="reference"
          label="Reference"
          hint="Such as the quarter. No personal data: it stays in the audit log."
          required
          maxLength={200}
          autoComplete="off"
          value={entered.reference}
          onChange={set("reference")}
        />
        <Submit>Show what each holder gets</Submit>
      </Form>
    </Card>
  )
}

type PaymentMintProps = { value: string; onChange: (event: { target: { value: string } }) => void }

/** The payment mints that the workspace can pay with, and what is in its treasury. */
function PaymentMint({ value, onChange }: PaymentMintProps) {
  const treasury = useQuery("treasury.get", {})
  const options = (treasury.data?.balances ?? [])
    .filter(({ refused }) => refused === null)
    .map(({ mint, symbol, balance }): [string, string] => [mint, `${symbol ?? mint} (${balance} in the treasury)`])
  return (
    <SelectField
      name="payment_mint"
      label="Payment mint"
      required
      value={value}
      onChange={onChange}
      options={[["", "Choose a payment mint"], ...options]}
    />
  )
}
