import {
  BadgeCheck,
  ChartNoAxesColumn,
  ClipboardCheck,
  CodeXml,
  Coins,
  FileCheck2,
  History,
  KeyRound,
  type LucideIcon,
  Radio,
  ScanFace,
  ScrollText,
  Settings,
  UsersRound,
  Webhook,
} from "lucide-react"
import type { Permission } from "#shared/scopes.ts"

/**
 * The sections of the dashboard, in the order of their links. The key is the first part of a page's address below its
 * workspace. Do not change the names: tests and screen readers rely on them. Members without the permission that a
 * section `needs` see no link to it.
 */
export const sections = {
  overview: { name: "Overview", icon: ChartNoAxesColumn },
  investors: { name: "Investors", icon: UsersRound },
  attestations: { name: "Attestations", icon: BadgeCheck },
  sessions: { name: "Sessions", icon: ScanFace },
  reviews: { name: "Reviews", icon: ClipboardCheck, needs: "review:write" },
  tokens: { name: "Tokens", icon: Coins },
  keys: { name: "API keys", icon: KeyRound },
  events: { name: "Events", icon: Radio },
  webhooks: { name: "Webhooks", icon: Webhook },
  logs: { name: "Logs", icon: ScrollText },
  schemas: { name: "Schemas", icon: FileCheck2 },
  developers: { name: "Developers", icon: CodeXml },
  audit: { name: "Audit", icon: History },
  settings: { name: "Settings", icon: Settings },
} as const satisfies Record<string, { name: string; icon: LucideIcon; needs?: Permission }>

export type Section = keyof typeof sections

export const isSection = (part: string): part is Section => Object.hasOwn(sections, part)
