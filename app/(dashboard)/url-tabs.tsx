import { parseAsStringLiteral, useQueryState } from "nuqs"
import { type ReactNode, Suspense } from "react"
import { Loading } from "#app/components/states.tsx"
import { Tabs, TabsContent, TabsList, TabsTrigger } from "#app/components/ui/tabs.tsx"

/** Tabs of which the address names the selected one. The first is selected by default. Panels may load lazily. */
export function UrlTabs({
  name,
  label,
  tabs,
}: {
  /** The name in the address. */
  name: string
  /** Names the tabs for screen readers. */
  label: string
  /** The name of each tab, and its panel. */
  tabs: Record<string, readonly [name: string, panel: ReactNode]>
}) {
  const [first, ...others] = Object.keys(tabs) as [string, ...string[]]
  const [tab, setTab] = useQueryState(name, parseAsStringLiteral([first, ...others]).withDefault(first))
  return (
    <Tabs value={tab} onValueChange={(next) => void setTab(next)}>
      <TabsList aria-label={label}>
        {Object.entries(tabs).map(([value, [name]]) => (
          <TabsTrigger key={value} value={value}>
            {name}
          </TabsTrigger>
        ))}
      </TabsList>
      {Object.entries(tabs).map(([value, [name, panel]]) => (
        // The panel exists while its content loads, because the tab refers to it.
        <TabsContent key={value} value={value}>
          <Suspense fallback={<Loading what={`Loading ${name.toLowerCase()}`} lines={8} />}>{panel}</Suspense>
        </TabsContent>
      ))}
    </Tabs>
  )
}
