"use client"

import { lazy } from "react"
import { UrlTabs } from "#app/(dashboard)/tabs.tsx"
import { PageHeader } from "#app/components/frame.tsx"
import { Members } from "./members.tsx"

// Members are not lazy: they are the first tab, and most readers stay on it.
const YourAccount = lazy(async () => ({ default: (await import("./account.tsx")).YourAccount }))
const WorkspaceFacts = lazy(async () => ({ default: (await import("./workspace-facts.tsx")).WorkspaceFacts }))
const ApprovalPolicies = lazy(async () => ({ default: (await import("./approval-policies.tsx")).ApprovalPolicies }))
const Monitoring = lazy(async () => ({ default: (await import("./monitoring.tsx")).Monitoring }))

export default function Page() {
  return (
    <>
      <PageHeader title="Settings" />
      <UrlTabs
        name="part"
        label="Settings"
        tabs={{
          members: ["Members", <Members key="members" />],
          account: ["Your account", <YourAccount key="account" />],
          workspace: ["Workspace", <WorkspaceFacts key="workspace" />],
          approvals: ["Approvals", <ApprovalPolicies key="approvals" />],
          monitoring: ["Monitoring", <Monitoring key="monitoring" />],
        }}
      />
    </>
  )
}
