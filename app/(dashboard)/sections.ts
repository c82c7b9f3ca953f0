import {
  BadgeCheck,
  ChartNoAxesColumn,
  CodeXml,
  Coins,
  FileCheck2,
  History,
  KeyRound,
  type LucideIcon,
  ScanFace,
  ScrollText,
  Settings,
} from "lucide-react"

/** The dashboard's sections, in the order of their links. The names stay: tests and screen readers rely on them. */
export const sections = [
  { path: "overview", name: "Overview", icon: ChartNoAxesColumn },
  { path: "attestations", name: "Attestations", icon: BadgeCheck },
  { path: "sessions", name: "Sessions", icon: ScanFace },
  { path: "tokens", name: "Tokens", icon: Coins },
  { path: "keys", name: "API keys", icon: KeyRound },
  { path: "logs", name: "Logs", icon: ScrollText },
  { path: "schemas", name: "Schemas", icon: FileCheck2 },
  { path: "developers", name: "Developers", icon: CodeXml },
  { path: "audit", name: "Audit", icon: History },
  { path: "settings", name: "Settings", icon: Settings },
] as const satisfies { path: string; name: string; icon: LucideIcon }[]
