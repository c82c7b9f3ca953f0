"use client"

import type { ReactNode } from "react"
import { Tabs, TabsContent, TabsList, TabsTrigger } from "#app/components/ui/tabs.tsx"

/** One list in several states, a tab each. */
export function StateTabs<State extends string>({
  names,
  value,
  onChange,
  children,
}: {
  names: Record<State, string>
  value: State
  onChange: (state: State) => void
  children: ReactNode
}) {
  const states = Object.keys(names) as State[]
  return (
    <Tabs value={value} onValueChange={(state) => onChange(state as State)}>
      <TabsList aria-label="State">
        {states.map((state) => (
          <TabsTrigger key={state} value={state}>
            {names[state]}
          </TabsTrigger>
        ))}
      </TabsList>
      {states.map((state) => (
        <TabsContent key={state} value={state}>
          {children}
        </TabsContent>
      ))}
    </Tabs>
  )
}
