import { type ReactNode, useEffect, useRef, useState } from "react"
import { useIdempotencyKey } from "#app/(dashboard)/[workspace]/tokens/idempotency-key.ts"
import { hasEnded, kindNames, type Operation, useOperation } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { To, useApi, useDebounced, usePath, useQuery, useRefresh, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { Api } from "#app/api.ts"
import { Shortened } from "#app/components/code.tsx"
import { Field, Form, Submit, TextField } from "#app/components/form.tsx"
import { Loading } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Link, NewTab } from "#app/components/link.tsx"
import { problemOf, Refused } from "#app/components/problem.ts"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { Input } from "#app/components/ui/input.tsx"
import { grouped } from "#shared/amount.ts"
import type { IconName } from "#shared/icons.ts"
import { ruleOf } from "#shared/rules/rules.ts"
import type { Preflight, TokenView } from "../use-token.ts"
import { OperationSteps } from "./operation-steps.tsx"

export default function Move({ token, kind }: { token: TokenView; kind: MoveKind }) {
  const [sent, setSent] = useState<Operation | null>(null)
  return sent ? (
    <Sent token={token} operation={sent} onAgain={() => setSent(null)} />
  ) : (
    <MoveForm token={token} kind={kind} onSent={setSent} />
  )
}

function Sent({ token, operation, onAgain }: { token: TokenView; operation: Operation; onAgain: () => void }) {
  const path = usePath()
  const refresh = useRefresh()
  const { data } = useOperation(operation.operation_id)
  const heading = useRef<HTMLHeadingElement>(null)
  const current = data?.operation ?? operation
  const ended = hasEnded(current)
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it ends
  useEffect(() => {
    if (ended) void refresh()
  }, [ended])

  return (
    <div className="space-y-5">
      <h3 ref={heading} tabIndex={-1} className="font-semibold">
        {kindNames[operation.kind]} of {grouped(operation.amount)} {token.symbol}
      </h3>
      <OperationSteps operation={current} detail={data} />
      <div className="flex flex-wrap gap-2">
        <Link
          href={path("tokens", token.id, "operations", operation.operation_id)}
          prefetch={false}
          className={buttonLook()}
        >
          Open the operation
        </Link>
        {ended && <Button onClick={onAgain}>{operation.kind === "mint" ? "Mint more" : "Transfer more"}</Button>}
      </div>
    </div>
  )
}

export type MoveKind = "mint" | "transfer"

/** How often the rules are checked again while the form is open: an investor may become verified in the meantime. */
const CHECK_EVERY_MS = 4000
const SHORTEST_ADDRESS = 32
/** What an address looks like. The server checks whether it is a wallet. */
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

type Entered = { from: string; to: string; amount: string }

const fields = { mint: { to: "user_pubkey" }, transfer: { from: "from_pubkey", to: "to_pubkey" } } as const

type MoveFormProps = { token: TokenView; kind: MoveKind; onSent: (operation: Operation) => void }

/** Asks for wallets and an amount, shows what the rules say, and sends only what they allow. */
function MoveForm({ token, kind, onSent }: MoveFormProps) {
  const api = useApi()
  const refresh = useRefresh()
  const [entered, setEntered] = useState<Entered>({ from: "", to: "", amount: "" })
  const from = entered.from.trim()
  const to = entered.to.trim()
  const amount = entered.amount.trim()
  const { preflight, isCurrent, problem } = usePreflight({ token, kind, from, to, amount })
  const isAccepted = isCurrent && preflight?.answer.error === null
  const idempotencyKey = useIdempotencyKey([kind, token.id, from, to, amount], isAccepted)
  const set = (name: keyof Entered) => (event: { target: { value: string } }) =>
    setEntered((before) => ({ ...before, [name]: event.target.value }))
  // The form loads after its sheet has opened, so nothing in it has the focus yet.
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => form.current?.querySelector("input")?.focus(), [])
  // An address that is still being typed is incomplete, not wrong.
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const leave = (name: string) => () => setLeft((before) => new Set([...before, name]))
  const problemAt = (name: string) => (problem?.field === name ? problem.text : undefined)
  const problemOfWallet = (name: string, wallet: string) =>
    wallet !== "" && !ADDRESS.test(wallet) && (left.has(name) || wallet.length >= SHORTEST_ADDRESS)
      ? "Enter a wallet address: 32 to 44 letters and digits, without 0, O, I and l."
      : problemAt(name)

  return (
    <Form
      onSubmit={async () => {
        if (!isAccepted) throw new Refused("A rule refuses this. See above for what to do.")
        const operation = await send(api, { kind, token, from, to, amount }, idempotencyKey.keyOf())
        idempotencyKey.forget()
        void refresh()
        onSent(operation)
      }}
    >
      <div ref={form} className="space-y-4">
        {kind === "transfer" && (
          <Field name={fields.transfer.from} label="From wallet" required error={problemOfWallet("from_pubkey", from)}>
            <WalletInput value={entered.from} onChange={set("from")} onBlur={leave("from_pubkey")} />
          </Field>
        )}
        <Field
          name={fields[kind].to}
          label={kind === "mint" ? "Wallet" : "To wallet"}
          required
          error={problemOfWallet(fields[kind].to, to)}
        >
          <WalletInput value={entered.to} onChange={set("to")} onBlur={leave(fields[kind].to)} />
        </Field>
        <TextField
          name="amount"
          label="Amount"
          required
          error={problemAt("amount")}
          hint={
            token.decimals === 0
              ? `Whole ${token.symbol}.`
              : `${token.symbol}, with at most ${token.decimals} decimals.`
          }
          inputMode="decimal"
          autoComplete="off"
          value={entered.amount}
          onChange={set("amount")}
        />
      </div>
      {preflight ? (
        <div aria-busy={!isCurrent} className={isCurrent ? "" : "opacity-60"}>
          <PreflightPanel token={token} preflight={preflight} />
        </div>
      ) : isComplete({ kind, from, to, amount }) && !problem ? (
        <Loading what="Checking the rules" lines={3} />
      ) : (
        <p className="text-[13px] text-muted">Enter a wallet and an amount to check the rules.</p>
      )}
      <Submit disabled={!isAccepted} className="w-full">
        {kind === "mint" ? "Mint" : "Transfer"}
      </Submit>
    </Form>
  )
}

function WalletInput(props: {
  value: string
  onChange: (event: { target: { value: string } }) => void
  onBlur: () => void
}) {
  return (
    <Input
      {...props}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      className="font-mono sm:text-[13px]"
    />
  )
}

type Sending = Entered & { kind: MoveKind; token: TokenView }

const isComplete = ({ kind, from, to, amount }: Omit<Sending, "token">): boolean =>
  ADDRESS.test(to) && amount !== "" && (kind === "mint" || ADDRESS.test(from))

/** What the rules say about the entered values, once typing pauses. */
function usePreflight(sending: Sending) {
  const { kind, token } = sending
  const current = JSON.stringify([sending.from, sending.to, sending.amount])
  const settled = useDebounced(current)
  const isSettled = settled === current
  const complete = isComplete(sending)
  const [from, to, amount] = JSON.parse(settled) as [string, string, string]
  const common = { mint_config: token.id, amount }
  const read = useQuery(
    "token.preflight",
    kind === "mint" ? { kind, ...common, user_pubkey: to } : { kind, ...common, from_pubkey: from, to_pubkey: to },
    { keep: true, enabled: isSettled && complete, every_ms: CHECK_EVERY_MS },
  )
  const problem = isSettled && read.error ? readProblem(read.error) : null
  return {
    /** The answer for the previous values, while the one for the current values loads. */
    preflight: complete && !problem ? read.data : undefined,
    isCurrent: isSettled && read.data !== undefined && !read.isPlaceholderData && !problem,
    problem,
  }
}

function readProblem(error: unknown): { field: string; text: string } {
  const { detail } = problemOf(error)
  const [, field = "amount", text = detail] = /^(\w+): (.*)$/s.exec(detail) ?? []
  return { field, text: text.charAt(0).toUpperCase() + text.slice(1) }
}

/** Starts it without waiting for the chain. The next screen shows its progress. */
function send(api: Api, { kind, token, from, to, amount }: Sending, idempotencyKey: string) {
  const common = { mint_config: token.id, amount }
  const options = { context: { idempotencyKey, respondAsync: true } }
  return kind === "mint"
    ? api.token.mint.mutate({ ...common, user_pubkey: to }, options)
    : api.token.transfer.mutate({ ...common, from_pubkey: from, to_pubkey: to }, options)
}

type Outcome = Preflight["rules"][number]["outcome"]

const looks: Record<Outcome, { icon: IconName; color: string; word: string }> = {
  passed: { icon: "check", color: "text-accent", word: "Passed" },
  refused: { icon: "cross", color: "text-danger", word: "Refused" },
  undecided: { icon: "question", color: "text-muted", word: "Undecided" },
}

/** What the API would answer now and the result of each rule, before anything is sent. */
function PreflightPanel({ token, preflight }: { token: TokenView; preflight: Preflight }) {
  const { answer, rules } = preflight
  const isFine = answer.error === null
  return (
    <section aria-label="Rules check" className="rounded-lg border border-line">
      <div
        className={`rounded-t-lg px-3 py-2.5 ${isFine ? "bg-accent-soft text-accent" : "bg-danger-soft text-danger"}`}
      >
        <p role="status" className="flex items-start gap-2 font-medium">
          <Icon name={isFine ? "check" : "alert"} className="mt-0.5 size-4" />
          {isFine ? (
            "All rules passed."
          ) : rules.length > 0 ? (
            // The rule's own line below shows why.
            <span>
              This would be refused.<span className="sr-only"> {answer.detail}</span>
            </span>
          ) : (
            `This would be refused: ${answer.detail}`
          )}
        </p>
        {answer.error !== null && (
          <p className="mt-0.5 pl-6 text-[13px]">
            The API answers {answer.status}{" "}
            <NewTab href={`/docs/errors/${answer.error}`} className="font-mono underline underline-offset-2">
              {answer.error}
            </NewTab>
            .
          </p>
        )}
      </div>
      {rules.length > 0 && (
        <ul className="divide-y divide-line">
          {rules.map(({ code, outcome, detail }) => (
            <li key={code} className="flex items-start gap-2 px-3 py-2">
              <Icon name={looks[outcome].icon} className={`mt-0.5 size-4 ${looks[outcome].color}`} />
              <p className="min-w-0">
                <span className="sr-only">{looks[outcome].word}: </span>
                <span className="font-medium">{ruleOf(code)?.name ?? code}</span>{" "}
                <span className="text-muted">{detail}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {!isFine && <Remedy token={token} preflight={preflight} />}
    </section>
  )
}

type RemedyProps = { token: TokenView; preflight: Preflight }

/** What to do about a refusal, if this page knows. */
function Remedy({ token, preflight: { answer, unverified, required_schema } }: RemedyProps) {
  const path = usePath()
  const { can } = useWorkspace()
  const remedy = answer.error === null ? null : ruleOf(answer.error)?.remedy
  if (remedy === "verify" && required_schema !== null) {
    if (!can("kyc:write")) return null
    return (
      <Advice>
        {unverified.map((wallet) => (
          <Link
            key={wallet}
            href={`${path("sessions")}?${new URLSearchParams({ wallet, schema: required_schema })}`}
            prefetch={false}
            className={buttonLook({ size: "sm" })}
          >
            <span>
              Start a session for <Shortened value={wallet} />
            </span>
          </Link>
        ))}
      </Advice>
    )
  }
  if (remedy === "unpause") {
    return <Advice>Unpause the token, or wait until it is unpaused.</Advice>
  }
  if (remedy === "change_rules") {
    if (!can("config:write")) return null
    return (
      <Advice>
        Enter less, or{" "}
        <To path={["tokens", token.id, "rules"]} className="text-accent underline underline-offset-2">
          change the token's rules
        </To>
        .
      </Advice>
    )
  }
  return null
}

function Advice({ children }: { children: ReactNode }) {
  return <div className="border-t border-line px-3 py-2.5 text-[13px]">{children}</div>
}
