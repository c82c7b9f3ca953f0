import { parseAsStringLiteral, useQueryState } from "nuqs"
import { lazy, type ReactNode, Suspense } from "react"
import { Loading } from "#app/components/states.tsx"
import { Tabs, TabsContent, TabsList, TabsTrigger } from "#app/components/ui/tabs.tsx"

const tabs = ["verifications", "operations", "refusals"] as const

const Verifications = lazy(async () => ({ default: (await import("./lists.tsx")).Verifications }))
const InvestorOperations = lazy(async () => ({ default: (await import("./lists.tsx")).InvestorOperations }))
const Refusals = lazy(async () => ({ default: (await import("./lists.tsx")).Refusals }))

/** The lists on an investor's page: verifications, token operations and refusals. */
export function Activity({ investorId }: { investorId: string }) {
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(tabs).withDefault("verifications"))
  return (
    <Tabs value={tab} onValueChange={(next) => void setTab(next as (typeof tabs)[number])}>
      <TabsList aria-label="Activity">
        <TabsTrigger value="verifications">Verifications</TabsTrigger>
        <TabsTrigger value="operations">Operations</TabsTrigger>
        <TabsTrigger value="refusals">Refusals</TabsTrigger>
      </TabsList>
      <Panel value="verifications">
        <Verifications investorId={investorId} />
      </Panel>
      <Panel value="operations">
        <InvestorOperations investorId={investorId} />
      </Panel>
      <Panel value="refusals">
        <Refusals investorId={investorId} />
      </Panel>
    </Tabs>
  )
}

/** A tab's panel. It exists while its list loads, because the tab refers to it. */
function Panel({ value, children }: { value: (typeof tabs)[number]; children: ReactNode }) {
  return (
    <TabsContent value={value}>
      <Suspense fallback={<Loading what="Loading the list" />}>{children}</Suspense>
    </TabsContent>
  )
}
