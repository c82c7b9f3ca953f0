import type { ReactNode } from "react"
import { Wordmark } from "./wordmark.tsx"

/** One column with one subject: the whole screen on a phone, a card on anything wider. */
export function Card({ badge, children }: { badge?: ReactNode; children: ReactNode }) {
  return (
    <div className="mx-auto min-h-dvh w-full max-w-[30rem] sm:min-h-0 sm:px-4 sm:py-12">
      <div className="min-h-dvh bg-surface px-5 pt-5 pb-8 sm:min-h-0 sm:rounded-2xl sm:border sm:border-line sm:px-8 sm:pt-6 sm:shadow-card">
        <header className="mb-7 flex h-8 items-center justify-between">
          <Wordmark />
          {badge}
        </header>
        <main>{children}</main>
      </div>
    </div>
  )
}
