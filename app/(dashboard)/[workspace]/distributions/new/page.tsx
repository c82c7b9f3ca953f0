"use client"

import { useRouter } from "next/navigation.js"
import { parseAsString, useQueryState } from "nuqs"
import { useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import { Breadcrumbs } from "#app/(dashboard)/breadcrumbs.tsx"
import { type RouterOutputs, useApi, usePath, useQuery, useRefresh, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { FieldGroup, Form, SelectField, Submit, TextField } from "#app/components/form.tsx"
import { Card, Empty, Loaded, Loading, PageHeader } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { timeIn } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { RadioCard } from "#app/components/ui/radio-card.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { isAddress } from "#shared/address.ts"
import { AMOUNT } from "#shared/amount.ts"
import { EXTERNAL_DECIMALS, type Settlement } from "#shared/distributions.ts"
import { type ReasonCode, reasonNames } from "#shared/movements.ts"
import { useUnits } from "../use-units.ts"
import { settlementWords } from "../words.ts"
import { type Excluded, ExcludedWallets, wordsIn } from "./excluded-wallets.tsx"
import { MoreOptions } from "./more-options.tsx"
import { Preview } from "./preview.tsx"

type Snapshot = RouterOutputs["snapshot"]["get"]
type Mint = RouterOutputs["treasury"]["get"]["balances"][number]

export default function Page() {
  const { can } = useWorkspace()
  return (
    <>
      <Breadcrumbs of={[[["distributions"], "Distributions"]]} />
      <PageHeader
        title="Create distribution"
        description="You create a draft, which shows what each holder gets, and who cannot be paid now, before anything is paid."
      />
      {can("distribution:write") ? (
        <NewDistribution />
      ) : (
        <Empty title="You cannot create distributions">Ask an owner for the compliance role.</Empty>
      )}
    </>
  )
}

function NewDistribution() {
  const path = usePath()
  const [chosen] = useQueryState("snapshot", parseAsString)
  const ready = useQuery("snapshot.list", { state: "ready", limit: 100 })
  const treasury = useQuery("treasury.get", {})
  const mints = (treasury.data?.balances ?? []).filter(({ refused }) => refused === null)
  return (
    <Loaded query={ready} what="the snapshots">
      {({ data }) =>
        data.length === 0 && chosen === null ? (
          <Empty
            title="No snapshot is ready"
            action={
              <Link href={path("tokens")} prefetch={false} className={buttonLook()}>
                Choose a token
              </Link>
            }
          >
            A distribution pays the holders in a snapshot. Take one on the Snapshots tab of a token.
          </Empty>
        ) : treasury.isPending ? (
          <Loading what="Loading the payment mints" />
        ) : (
          <DistributionForm newest={data} chosen={chosen} mints={mints} />
        )
      }
    </Loaded>
  )
}

const methods = {
  total: { name: "A total", summary: "Divided in proportion to what each holder held.", label: "Total" },
  per_unit: { name: "An amount per token", summary: "The same for each whole token.", label: "For each token" },
} as const

const NOTHING = {
  ...{ mint: "", amount: "", minimum: "" },
  decimals: String(EXTERNAL_DECIMALS),
  ...{ exclude: "", reason: "dividend", reference: "" },
}

type FormProps = { newest: Snapshot[]; chosen: string | null; mints: Mint[] }

/**
 * `newest` are ready. `chosen` is the snapshot in the address, which may be an older one. `mints` are those that the
 * workspace can pay with.
 */
function DistributionForm({ newest, chosen, mints }: FormProps) {
  const api = useApi()
  const path = usePath()
  const router = useRouter()
  const refresh = useRefresh()
  const zone = useTimeZone()
  const { nameOf, symbolOf, amountIn } = useUnits([])
  const isOlder = chosen !== null && newest.every(({ snapshot_id }) => snapshot_id !== chosen)
  const { data: older } = useQuery("snapshot.get", { id: chosen ?? "" }, { enabled: isOlder })
  const snapshots = older ? [...newest, older] : newest
  const [entered, setEntered] = useState({
    snapshot: chosen ?? "",
    settlement: (mints.length > 0 ? "stablecoin" : "external") as Settlement,
    basis: "total" as keyof typeof methods,
    ...NOTHING,
  })
  const set =
    (name: keyof typeof entered) =>
    ({ target }: { target: { value: string } }) =>
      setEntered((before) => ({ ...before, [name]: target.value }))
  const { settlement, basis } = entered
  const [excluded, setExcluded] = useState<readonly Excluded[]>([])
  const content = [...Object.values(entered), ...excluded.map(({ wallet }) => wallet)]
  const key = useIdempotencyKey(content, entered.amount !== "")
  const snapshot = snapshots.find(({ snapshot_id }) => snapshot_id === entered.snapshot)
  const exclude = [...excluded.map(({ wallet }) => wallet), ...wordsIn(entered.exclude)]
  const terms = {
    ...{ snapshot_id: entered.snapshot, settlement, exclude: exclude as never },
    ...(settlement === "stablecoin" && { payment_mint: entered.mint }),
    ...(settlement === "external" && { decimals: Number(entered.decimals) }),
    ...(basis === "total" ? { total: entered.amount.trim() } : { per_unit: entered.amount.trim() }),
    ...(entered.minimum.trim() !== "" && { minimum: entered.minimum.trim() }),
  }

  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Card title="What is paid">
        <Form
          check={() => {
            const wrong = exclude.filter((one) => !isAddress(one))
            return wrong.length > 0 ? { exclude: `Not the address of a wallet: ${wrong.join(", ")}.` } : {}
          }}
          onSubmit={async () => {
            const { distribution_id } = await key.send((idempotencyKey) =>
              api.distribution.create.mutate(
                {
                  ...terms,
                  ...{ reason_code: entered.reason as ReasonCode, reference: entered.reference.trim() },
                },
                { context: { idempotencyKey } },
              ),
            )
            key.forget()
            void refresh()
            router.push(path("distributions", distribution_id))
          }}
        >
          <SelectField
            name="snapshot_id"
            label="Snapshot"
            aside={
              <Link
                href={snapshot ? `${path("tokens", snapshot.mint_config)}?tab=snapshots` : path("tokens")}
                prefetch={false}
                // What has been entered here stays.
                target="_blank"
                className="text-accent hover:underline"
              >
                Take a snapshot
              </Link>
            }
            hint={
              snapshot?.complete === false
                ? "Holders could move this token themselves, and some of these transfers may be missing in the snapshot."
                : `Everyone who held the token on the record date is paid. Times are in ${zone}.`
            }
            required
            value={entered.snapshot}
            onChange={set("snapshot")}
            options={[
              ["", "Choose a snapshot"],
              ...snapshots.map(({ snapshot_id, mint_config, name, record_at }): [string, string] => [
                snapshot_id,
                `${nameOf(mint_config)}: ${name}, ${timeIn(zone, record_at)}`,
              ]),
            ]}
          />
          <SelectField
            name="settlement"
            label="Settlement"
            required
            value={settlement}
            onChange={set("settlement")}
            options={Object.entries(settlementWords)}
          />
          {settlement === "stablecoin" && <PaymentMint mints={mints} value={entered.mint} onChange={set("mint")} />}
          <FieldGroup legend="Method" name="basis">
            <div className="grid gap-2 sm:grid-cols-2">
              {(["total", "per_unit"] as const).map((one) => (
                <RadioCard
                  key={one}
                  name="basis"
                  value={one}
                  checked={basis === one}
                  onChange={set("basis")}
                  title={methods[one].name}
                >
                  <span className="block text-[13px] text-muted">{methods[one].summary}</span>
                </RadioCard>
              ))}
            </div>
          </FieldGroup>
          <TextField
            name={basis === "total" ? "total" : "per_unit"}
            label={methods[basis].label}
            required
            inputMode="decimal"
            autoComplete="off"
            value={entered.amount}
            onChange={set("amount")}
          />
          <MoreOptions
            decimals={settlement === "external" ? entered.decimals : null}
            minimum={entered.minimum}
            onChange={(name, value) => setEntered((before) => ({ ...before, [name]: value }))}
          >
            {snapshot && (
              <ExcludedWallets
                mintConfig={snapshot.mint_config}
                excluded={excluded}
                text={entered.exclude}
                onChange={(excluded, exclude) => {
                  setExcluded(excluded)
                  setEntered((before) => ({ ...before, exclude }))
                }}
              />
            )}
          </MoreOptions>
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
          <Submit>Create draft</Submit>
        </Form>
      </Card>
      {(!snapshot || isPreviewed(snapshot)) && (
        <Preview
          terms={snapshot && isComplete(terms, exclude) ? terms : null}
          symbol={snapshot ? symbolOf(snapshot.mint_config) : ""}
          amountOf={amountIn({
            mint_config: snapshot?.mint_config ?? "",
            settlement,
            payment_mint: entered.mint || null,
          })}
        />
      )}
    </div>
  )
}

/** For more holders, adding up all of them would take too long while someone types. */
const MOST_PREVIEWED = 20_000
const isPreviewed = ({ holders }: Snapshot): boolean => holders !== null && holders <= MOST_PREVIEWED

type Amounts = { total?: string; per_unit?: string; minimum?: string; payment_mint?: string }

/** Whether nothing is missing or half typed. The server finds everything else. */
const isComplete = ({ total, per_unit = total, minimum = "1", payment_mint }: Amounts, exclude: readonly string[]) =>
  AMOUNT.test(per_unit ?? "") && AMOUNT.test(minimum) && payment_mint !== "" && exclude.every(isAddress)

type PaymentMintProps = { mints: Mint[]; value: string; onChange: (event: { target: { value: string } }) => void }

/** The payment mints that the workspace can pay with, and what is in its treasury. */
function PaymentMint({ mints, value, onChange }: PaymentMintProps) {
  const options = mints.map(({ mint, symbol, balance }): [string, string] => [
    mint,
    `${symbol ?? mint} (${balance} in the treasury)`,
  ])
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
