import type { ReactNode } from "react"
import { Card } from "#app/components/card.tsx"

export default function Layout({ children }: { children: ReactNode }) {
  return <Card>{children}</Card>
}
