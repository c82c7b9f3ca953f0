import { parseAsStringLiteral, useQueryState } from "nuqs"
import { type ComponentProps, type ReactNode, Suspense } from "react"
import { Loading } from "#app/components/frame.tsx"
import { Tabs } from "#app/components/ui/tabs.tsx"
import { type Count, shortCount } from "#shared/counts.ts"

type UrlTabsProps = {
  /** The name in the address. */
  name: string
  label: string
  tabs: Record<string, readonly [name: string, panel: ReactNode]>
}

/** Tabs of which the address names the selected one. The first is selected by default. Panels may load lazily. */
export function UrlTabs({ name, label, tabs }: UrlTabsProps) {
  const [first, ...others] = Object.keys(tabs) as [string, ...string[]]
  const [tab, setTab] = useQueryState(name, parseAsStringLiteral([first, ...others]).withDefault(first))
  const shown = Object.entries(tabs).map(([value, [name, panel]]) => [
    value,
    // The panel exists while its content loads, because the tab refers to it.
    [
      name,
      <Suspense key={value} fallback={<Loading what={`Loading ${name.toLowerCase()}`} lines={8} />}>
        {panel}
      </Suspense>,
    ],
  ])
  return <Tabs label={label} value={tab} onChange={(next) => void setTab(next)} tabs={Object.fromEntries(shown)} />
}

export type StateTabsProps<State extends string> = {
  names: Record<State, string>
  /** The number of rows in each state, undefined until counted. */
  counts?: Record<State, Count> | undefined | null
} & Pick<ComponentProps<typeof Tabs<State>>, "value" | "onChange">

/** Tabs for a list that is split by state. */
export function StateTabs<State extends string>({
  names,
  counts = null,
  children,
  ...chosen
}: StateTabsProps<State> & { children: ReactNode }) {
  const nameOf = (state: State) => (
    <>
      {names[state]}
      {counts !== null && (
        // Reserves the width of the count, so that no tab moves when it arrives.
        <span className="ml-1.5 inline-block min-w-6 text-left text-xs text-muted tabular-nums">
          {counts && shortCount(counts[state])}
        </span>
      )}
    </>
  )
  const tabs = (Object.keys(names) as State[]).map((state) => [state, [nameOf(state), children]])
  return <Tabs {...chosen} label="State" tabs={Object.fromEntries(tabs)} />
}
