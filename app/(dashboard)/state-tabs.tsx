import type { ReactNode } from "react"
import { Tabs, TabsContent, TabsList, TabsTrigger } from "#app/components/ui/tabs.tsx"
import { type Count, shortCount } from "#shared/counts.ts"

export type StateTabsProps<State extends string> = {
  names: Record<State, string>
  /** The number of rows in each state, undefined until counted. */
  counts?: Record<State, Count> | undefined | null
  value: State
  onChange: (state: State) => void
}

/** Tabs for a list that is split by state. */
export function StateTabs<State extends string>({
  names,
  counts = null,
  value,
  onChange,
  children,
}: StateTabsProps<State> & { children: ReactNode }) {
  const states = Object.keys(names) as State[]
  return (
    <Tabs value={value} onValueChange={(state) => onChange(state as State)}>
      <TabsList aria-label="State">
        {states.map((state) => (
          <TabsTrigger key={state} value={state}>
            {names[state]}
            {counts !== null && (
              // Reserves the width of the count, so that no tab moves when it arrives.
              <span className="ml-1.5 inline-block min-w-6 text-left text-xs text-muted tabular-nums">
                {counts && shortCount(counts[state])}
              </span>
            )}
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
