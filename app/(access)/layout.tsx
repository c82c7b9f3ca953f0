import type { ReactNode } from "react"
import { PageCard } from "#app/components/layout.tsx"

export default function Layout({ children }: { children: ReactNode }) {
  return <PageCard>{children}</PageCard>
}
