import type { ReactNode } from "react"
import { PageCard } from "#app/components/ui/card.tsx"

export default function Layout({ children }: { children: ReactNode }) {
  return <PageCard>{children}</PageCard>
}
