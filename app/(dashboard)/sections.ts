import {
  BadgeCheck,
  ChartNoAxesColumn,
  ClipboardCheck,
  CodeXml,
  Coins,
  FileCheck2,
  HandCoins,
  History,
  KeyRound,
  type LucideIcon,
  Radio,
  ScanFace,
  ScrollText,
  Settings,
  ShieldCheck,
  UsersRound,
  Webhook,
} from "lucide-react"
import { remember, remembered } from "#app/components/storage.ts"
import type { Permission } from "#shared/scopes.ts"

/** The headings of the navigation. */
const groups = ["People", "Assets", "Integration", "Workspace"] as const
type Group = (typeof groups)[number]

/**
 * The sections of the dashboard, in the order of their links, each below the heading of its group. The property is the
 * first part of a page's address below its workspace. Do not change the names: tests and screen readers rely on them.
 * Members without the permission that a section `needs` see no link to it. Its `key` opens it after `g`.
 */
export const sections = {
  overview: { name: "Overview", icon: ChartNoAxesColumn, key: "o", group: null },
  investors: { name: "Investors", icon: UsersRound, key: "i", group: "People" },
  attestations: { name: "Attestations", icon: BadgeCheck, key: "a", group: "People" },
  sessions: { name: "Sessions", icon: ScanFace, key: "s", group: "People" },
  reviews: { name: "Reviews", icon: ClipboardCheck, key: "r", needs: "review:write", group: "People" },
  tokens: { name: "Tokens", icon: Coins, key: "t", group: "Assets" },
  distributions: { name: "Distributions", icon: HandCoins, key: "d", group: "Assets" },
  approvals: { name: "Approvals", icon: ShieldCheck, key: "p", group: "Assets" },
  developers: { name: "Developers", icon: CodeXml, key: "v", group: "Integration" },
  keys: { name: "API keys", icon: KeyRound, key: "k", group: "Integration" },
  webhooks: { name: "Webhooks", icon: Webhook, key: "w", group: "Integration" },
  events: { name: "Events", icon: Radio, key: "e", group: "Integration" },
  logs: { name: "Logs", icon: ScrollText, key: "l", group: "Integration" },
  schemas: { name: "Schemas", icon: FileCheck2, key: "c", group: "Integration" },
  audit: { name: "Audit", icon: History, key: "u", group: "Workspace" },
  settings: { name: "Settings", icon: Settings, key: ",", group: "Workspace" },
} as const satisfies Record<
  string,
  { name: string; icon: LucideIcon; key: string; needs?: Permission; group: Group | null }
>

export type Section = keyof typeof sections

export const isSection = (part: string): part is Section => Object.hasOwn(sections, part)

export const goTo: [key: string, Section][] = Object.entries(sections).map(([section, { key }]) => [
  key,
  section as Section,
])

const NO_SINGLE_KEYS = "vouch.single-keys-off"

/** Whether single letters are shortcuts. People who use speech input could trigger them by accident (WCAG 2.1.4). */
export const readsSingleKeys = (): boolean => remembered(NO_SINGLE_KEYS) === null
export const setSingleKeys = (on: boolean): void => remember(NO_SINGLE_KEYS, on ? null : "1")
