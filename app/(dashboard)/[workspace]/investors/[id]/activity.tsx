import { lazy } from "react"
import { UrlTabs } from "#app/(dashboard)/tabs.tsx"

const Verifications = lazy(async () => ({ default: (await import("./lists.tsx")).Verifications }))
const InvestorOperations = lazy(async () => ({ default: (await import("./lists.tsx")).InvestorOperations }))
const Refusals = lazy(async () => ({ default: (await import("./lists.tsx")).Refusals }))

/** The lists on an investor's page: verifications, token operations and refusals. */
export const Activity = ({ investorId }: { investorId: string }) => (
  <UrlTabs
    name="tab"
    label="Activity"
    tabs={{
      verifications: ["Verifications", <Verifications key="verifications" investorId={investorId} />],
      operations: ["Operations", <InvestorOperations key="operations" investorId={investorId} />],
      refusals: ["Refusals", <Refusals key="refusals" investorId={investorId} />],
    }}
  />
)
