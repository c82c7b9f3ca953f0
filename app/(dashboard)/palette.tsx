import { BookOpen, Keyboard, Zap } from "lucide-react"
import { useRouter } from "next/navigation.js"
import { Fragment, type ReactNode, useState } from "react"
import { StatusBadge } from "#app/components/badge.tsx"
import { shorten } from "#app/components/code.tsx"
import { KeyCap } from "#app/components/key-cap.tsx"
import { type Choice, SearchChoices } from "#app/components/search-choices.tsx"
import type { SearchProps } from "#app/components/search-dialog.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { isAddress } from "#shared/address.ts"
import { errorCodes, errors } from "#shared/errors.ts"
import type { Permission } from "#shared/scopes.ts"
import {
  type Action,
  actions,
  actionsFor,
  actionsWith,
  matchingActions,
  replayOf,
  requestsOf,
  revocationsOf,
  rotationOf,
  verbIn,
} from "./actions.ts"
import { exportAll } from "./exports.tsx"
import { recentPaths } from "./recent.ts"
import { useSchemas } from "./schema-name.tsx"
import { goTo, readsSingleKeys, type Section, sections, setSingleKeys } from "./sections.ts"
import { type RouterOutputs, useDebounced, useMe, usePath, useQuery, useWorkspace } from "./workspace.tsx"

type Found = RouterOutputs["find"]["all"]["data"][number]

/** Searches on the server once this many characters are entered and typing pauses. */
const LEAST = 2
const TYPING_MS = 200

/** What each kind of object is called, and the section whose icon it has. */
const kinds: Record<Found["kind"], { name: string; of: Section }> = {
  investor: { name: "Investor", of: "investors" },
  attestation: { name: "Attestation", of: "attestations" },
  session: { name: "Session", of: "sessions" },
  operation: { name: "Operation", of: "tokens" },
  token: { name: "Token", of: "tokens" },
  schema: { name: "Schema", of: "schemas" },
  review: { name: "Review", of: "reviews" },
  event: { name: "Event", of: "events" },
  endpoint: { name: "Webhook endpoint", of: "webhooks" },
  request: { name: "Request", of: "logs" },
  key: { name: "API key", of: "keys" },
  member: { name: "Member", of: "settings" },
  approval: { name: "Approval", of: "approvals" },
  recovery: { name: "Recovery", of: "investors" },
  distribution: { name: "Distribution", of: "distributions" },
}

const iconOf = (section: Section) => {
  const { icon: Icon } = sections[section]
  return <Icon />
}

/** A choice that opens a page or, if it can, does at once what its name says. */
type Offer = Choice & { run?: () => void }

type PaletteProps = SearchProps & { onClose: () => void; onShortcuts: () => void }

/** Finds a page, wallet, id or person by a few letters. */
export function Palette({ onClose, onShortcuts, ...search }: PaletteProps) {
  const { text } = search
  const router = useRouter()
  // "revoke novak" searches for the person.
  const wanted = verbIn(text).rest
  const asked = useDebounced(wanted, TYPING_MS)
  const found = useQuery("find.all", { text: asked }, { enabled: asked.length >= LEAST, keep: true })
  const pages = usePages(text.trim())
  const { offered, ofPerson, refused } = useActions(text.trim(), found.data?.data ?? [])
  const recent = useRecent()
  const path = usePath()
  const isCurrent = asked === wanted
  const isFound = isCurrent && asked.length >= LEAST && !found.isPlaceholderData
  const toChoice = (one: Found, section: string): Choice => ({
    key: `${one.kind} ${one.path.join("/")} ${one.name}`,
    section,
    group: kinds[one.kind].name,
    icon: iconOf(kinds[one.kind].of),
    name: withShortWallets(one.name),
    more: one.more && withShortWallets(one.more),
    badge: one.statuses?.map((status) => <StatusBadge key={status} status={status} />),
    href: path(...one.path),
  })
  const choices: Offer[] = [
    ...(text.trim() === "" ? recent.map((one) => toChoice(one, "Recent")) : []),
    ...pages,
    ...offered,
    // The person is known, so that Enter does what the verb says.
    ...(isFound && verbIn(text).verb !== null ? ofPerson : []),
    ...(asked.length >= LEAST && text.trim() !== "" ? (found.data?.data ?? []) : []).map((one) => ({
      ...toChoice(one, "Results"),
      isStale: !isCurrent || found.isPlaceholderData,
    })),
    ...(isFound && verbIn(text).verb === null ? ofPerson : []),
    ...useErrors(text),
  ]

  function go({ href, run }: Offer) {
    if (href === null) return onShortcuts()
    onClose()
    if (run) run()
    else router.push(href)
  }

  const isSearching = wanted.length >= LEAST && (!isCurrent || found.isFetching)
  const problem = isCurrent && found.error && !found.isFetching
  return (
    <SearchChoices
      {...search}
      choices={choices}
      onChoose={go}
      isSearching={isSearching}
      status={
        problem
          ? "The search is not responding. Try again in a moment."
          : isSearching
            ? "Searching…"
            : refused.length > 0
              ? `Your role does not allow: ${refused.join(", ")}.`
              : choices.length === 0
                ? text.trim().length < LEAST
                  ? "Type a little more."
                  : "Nothing found. Enter words of a name, the beginning or end of a wallet, or a whole id."
                : ""
      }
    />
  )
}

const withShortWallets = (text: string): string =>
  text
    .split(" ")
    .map((word) => (isAddress(word) ? shorten(word) : word))
    .join(" ")

/** What the member can begin, once something is typed: also with the person, if one is found, and what their role lacks. */
function useActions(text: string, found: readonly Found[]) {
  const path = usePath()
  const { id, can } = useWorkspace()
  const tokens = useQuery("mintConfig.list", {}).data?.data ?? []
  const failing = useFailing(text)
  const keys = useQuery("key.list", {}, { enabled: can("key:write") && text !== "" }).data?.data ?? []
  const isAllowed = ({ needs }: Pick<Action, "needs">) => needs === null || can(needs)
  const toChoice = ({ name, path: parts, query = "", exports }: Omit<Action, "words">): Offer => {
    const href = path(...parts) + query
    return {
      ...(exports !== undefined && { run: () => exportAll(exports, id) }),
      key: `action ${name} ${href}`,
      section: "Actions",
      icon: <Zap />,
      group: null,
      name,
      more: null,
      href,
    }
  }
  const { verb } = verbIn(text)
  const all = [
    ...actions,
    ...requestsOf(text),
    ...tokens.flatMap(actionsWith),
    ...failing.map(replayOf),
    ...keys.filter(({ status }) => status === "active").map(rotationOf),
  ]
  const matching = matchingActions(all, text)
  const person = personIn(found)
  const revocations = useRevocations(person)
  return {
    offered: matching.filter(isAllowed).map(toChoice),
    ofPerson:
      person === null
        ? []
        : [...actionsFor(person, tokens), ...revocations]
            .filter((one) => isAllowed(one) && (verb === null || one.name.toLowerCase().startsWith(verb)))
            .map(toChoice),
    // Synonyms match more than what was meant: names only.
    refused: matching
      .filter((one) => !isAllowed(one) && one.name.toLowerCase().startsWith(text.toLowerCase()))
      .map(({ name }) => name),
  }
}

/** The endpoints with events that failed or are retried, once something is typed. */
function useFailing(text: string) {
  const { can } = useWorkspace()
  const enabled = text !== "" && can("webhooks:write")
  const endpoints = useQuery("webhook.list", {}, { enabled }).data?.data ?? []
  const health = useQuery("webhook.health", undefined, { enabled }).data?.data ?? []
  const isFailing = ({ failed, waiting }: (typeof health)[number]) => failed.count + waiting.count > 0
  const failing = new Set(health.filter(isFailing).map(({ endpoint_id }) => endpoint_id))
  return endpoints.filter(({ endpoint_id }) => failing.has(endpoint_id))
}

/** The one person among the results, if they have a wallet. */
function personIn(found: readonly Found[]) {
  const [one, ...others] = found.filter(({ kind }) => kind === "investor")
  if (one === undefined || others.length > 0) return null
  const id = one.path.at(-1)!
  if (isAddress(one.name)) return { id, name: shorten(one.name), wallet: one.name, externalId: null }
  return one.more !== null && isAddress(one.more)
    ? { id, name: one.name, wallet: one.more, externalId: one.name }
    : null
}

function useRevocations(person: { id: string; name: string } | null) {
  const { can } = useWorkspace()
  const schemas = useSchemas()
  const asked = { investor: person?.id ?? "", limit: 10 }
  const enabled = person !== null && can("attestation:write")
  const { data } = useQuery("attestation.search", asked, { enabled })
  if (person === null || !data) return []
  return revocationsOf(person.name, data.data, ({ schema }) => schemas.find(({ id }) => id === schema)?.name ?? schema)
}

/** The most error codes to show. */
const CODES = 3

/** Error codes with the typed part, and the requests that had them. Texts that cannot be codes find none. */
function useErrors(text: string): Choice[] {
  const path = usePath()
  const part = text.trim().toLowerCase().replaceAll(/\s+/g, "_")
  const codes = errorCodes.filter((code) => code === part || (part.includes("_") && code.includes(part)))
  return codes.slice(0, CODES).flatMap((code) => [
    {
      ...{
        key: `error ${code}`,
        section: "Errors",
        icon: <BookOpen />,
        group: "Documentation",
        name: code,
        more: errors[code].title,
      },
      href: `/docs/errors/${code}`,
    },
    {
      ...{
        key: `requests ${code}`,
        section: "Errors",
        icon: iconOf("logs"),
        group: null,
        name: `Requests with ${code}`,
        more: null,
      },
      href: `${path("logs")}?error=${code}`,
    },
  ])
}

/** The objects that were opened last. The server names them, so that those of erased people are gone. */
function useRecent(): Found[] {
  const { id } = useWorkspace()
  const user = useMe().data?.user.id
  const [paths] = useState(() => (user === undefined ? [] : recentPaths(id, user)))
  const ids = paths.map((path) => path.split("/").at(-1)!)
  const named = useQuery("find.named", { ids }, { enabled: ids.length > 0 }).data?.data ?? []
  return paths.flatMap((path) => named.find((one) => one.path.join("/") === path) ?? [])
}

/** Pages whose names contain the text. All pages before anything is typed. */
function usePages(text: string): Choice[] {
  const path = usePath()
  const { can } = useWorkspace()
  const ofWorkspace = Object.entries<{ name: string; key: string; needs?: Permission }>(sections)
    .filter(([, { needs }]) => needs === undefined || can(needs))
    .map(([section, { name, key }]) => ({
      ...{ name, href: path(section), icon: iconOf(section as Section) },
      ...(readsSingleKeys() && { keys: ["G", key.toUpperCase()] }),
    }))
  const settings = iconOf("settings")
  const others = [
    { name: "Your account", href: `${path("settings")}?part=account`, icon: settings },
    { name: "Workspace settings", href: `${path("settings")}?part=workspace`, icon: settings },
    { name: "Approval policies", href: `${path("settings")}?part=approvals`, icon: settings },
    { name: "Monitoring", href: `${path("settings")}?part=monitoring`, icon: settings },
    { name: "Documentation", href: "/docs", icon: <BookOpen /> },
    { name: "API reference", href: "/docs/api", icon: <BookOpen /> },
    { name: "Errors", href: "/docs/errors", icon: <BookOpen /> },
    { name: "Keyboard shortcuts", href: null, icon: <Keyboard /> },
  ]
  const wanted = text.toLowerCase()
  return [...ofWorkspace, ...others]
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map((one) => ({ key: `page ${one.name}`, section: "Pages", group: null, more: null, ...one }))
}

/** The keyboard shortcuts, with the switch for those that are single letters. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const { can } = useWorkspace()
  const [isOn, setOn] = useState(readsSingleKeys)
  const reachable = goTo.filter(([, section]) => {
    const { needs }: { name: string; needs?: Permission } = sections[section]
    return needs === undefined || can(needs)
  })
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[minmax(0,1fr)_max-content] items-center gap-x-6 gap-y-2">
        <Line name="Search everything">
          <KeyCap>⌘</KeyCap> <KeyCap>K</KeyCap> <span className="text-muted">or</span> <KeyCap>Ctrl</KeyCap>{" "}
          <KeyCap>K</KeyCap>
        </Line>
        <Line name="Close the open dialog or menu">
          <KeyCap>Esc</KeyCap>
        </Line>
        <Line name="Go to the page’s search" off={!isOn}>
          <KeyCap>/</KeyCap>
        </Line>
        <Line name="Show the shortcuts" off={!isOn}>
          <KeyCap>?</KeyCap>
        </Line>
        <Line name="Next or previous row of a list" off={!isOn}>
          <KeyCap>J</KeyCap> <KeyCap>K</KeyCap>
        </Line>
        {can("review:write") &&
          reviewKeys.map(([key, name]) => (
            <Line key={key} name={name} off={!isOn}>
              <KeyCap>{key}</KeyCap>
            </Line>
          ))}
        {reachable.map(([key, section]) => (
          <Line key={key} name={sections[section].name} off={!isOn}>
            <KeyCap>G</KeyCap> <span className="text-muted">then</span> <KeyCap>{key.toUpperCase()}</KeyCap>
          </Line>
        ))}
      </dl>
      <Checkbox
        className="mt-4"
        checked={isOn}
        onChange={({ target }) => {
          setSingleKeys(target.checked)
          setOn(target.checked)
        }}
        hint="Turn them off if they get in the way of speech input. Applies to this browser."
      >
        Single-letter shortcuts
      </Checkbox>
    </Dialog>
  )
}

/** On a review's page. */
const reviewKeys = [
  ["A", "Review: approve or clear"],
  ["R", "Review: reject or revoke"],
  ["J", "Next review"],
  ["K", "Previous review"],
] as const

const Line = ({ name, off = false, children }: { name: string; off?: boolean; children: ReactNode }) => (
  <Fragment>
    <dt className={off ? "text-muted line-through" : undefined}>{name}</dt>
    <dd className="text-right">{children}</dd>
  </Fragment>
)
