import { useServicing } from "#app/(dashboard)/[workspace]/tokens/servicing-menu.tsx"
import { standingWords } from "#app/(dashboard)/person-words.ts"
import { type RouterOutputs, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Link } from "#app/components/link.tsx"
import { Notice } from "#app/components/notice.tsx"
import { dayIn } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { useTimeZone } from "#app/components/zone.ts"
import { grouped } from "#shared/amount.ts"

type InvestorView = RouterOutputs["investor"]["view"]

/** The most wallets to name. The tokens below have all of them. */
const SHOWN = 5

/** Tokens in wallets that lack the verification they require, and what to do. A lost wallet is recovered instead. */
const unverifiedIn = ({ tokens }: InvestorView) =>
  tokens.flatMap(({ wallets, ...token }) =>
    wallets
      .filter(({ balance, bar, standing }) => balance !== "0" && bar === null && standing.status !== "verified")
      .map((holding) => ({ ...token, ...holding })),
  )
type Unverified = ReturnType<typeof unverifiedIn>[number]

/** Says that a person holds tokens without being verified for them. Shows nothing if they are. */
export function UnverifiedNotice({ investor }: { investor: InvestorView }) {
  const { open, sheet } = useServicing()
  const unverified = unverifiedIn(investor)
  return (
    <>
      {sheet}
      {unverified.length > 0 && (
        <Notice title="Holds tokens without being verified">
          <p className="text-[13px]">They stay, but can neither be sent nor received until the wallet is verified.</p>
          <ul className="mt-2 space-y-2">
            {unverified.slice(0, SHOWN).map((of) => (
              <Position
                key={`${of.mint_config} ${of.user_pubkey}`}
                of={of}
                investor={investor}
                onRedeem={() => open("burn", { ...of, wallet: of.user_pubkey, investor })}
              />
            ))}
          </ul>
          {unverified.length > SHOWN && (
            <p className="mt-2 text-[13px]">And {unverified.length - SHOWN} more under Tokens held.</p>
          )}
        </Notice>
      )}
    </>
  )
}

type PositionProps = { of: Unverified; investor: InvestorView; onRedeem: () => void }

function Position({ of, investor: { external_id, erased_at }, onRedeem }: PositionProps) {
  const { can } = useWorkspace()
  const path = usePath()
  const zone = useTimeZone()
  const { balance, symbol, user_pubkey: wallet, standing, required_schema: schema } = of
  const session = new URLSearchParams({ wallet, schema, ...(external_id !== null && { external_id }) })
  const isUnderWay = standing.status === "pending" || standing.status === "in_review"
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-[13px]">
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium tabular-nums">
          {grouped(balance)} {symbol}
        </span>
        <Shortened value={wallet} />
        <span>{standingWords(standing, (at) => dayIn(zone, at)).words}</span>
      </span>
      <span className="flex gap-2">
        {can("kyc:write") && !isUnderWay && erased_at === null && (
          <Link href={`${path("sessions")}?${session}`} prefetch={false} className={buttonLook({ size: "sm" })}>
            Start session<span className="sr-only"> for {wallet}</span>
          </Link>
        )}
        {can("token:burn") && (
          <Button size="sm" onClick={onRedeem}>
            Redeem…
            <span className="sr-only">
              {" "}
              {symbol} of {wallet}
            </span>
          </Button>
        )}
      </span>
    </li>
  )
}
