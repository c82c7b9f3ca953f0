"use client"

import dynamicModule from "next/dynamic.js"
import { parseAsStringLiteral, useQueryState } from "nuqs"
import { PageHeader } from "#app/components/page-header.tsx"
import { Loading } from "#app/components/states.tsx"
import { Tabs, TabsContent, TabsList, TabsTrigger } from "#app/components/ui/tabs.tsx"
import { Members } from "./members.tsx"

// The types of next/dynamic declare a nested default export, which does not exist at run time.
const dynamic = dynamicModule as unknown as typeof dynamicModule.default
// Not lazy: members are the first tab, and most readers stay on it.
const YourAccount = dynamic(async () => (await import("./account.tsx")).YourAccount, {
  loading: () => <Loading what="Loading your account" lines={8} />,
})
const WorkspaceFacts = dynamic(async () => (await import("./workspace-facts.tsx")).WorkspaceFacts, {
  loading: () => <Loading what="Loading the workspace" lines={8} />,
})
const Monitoring = dynamic(async () => (await import("./monitoring.tsx")).Monitoring, {
  loading: () => <Loading what="Loading monitoring" lines={8} />,
})

const parts = ["members", "account", "workspace", "monitoring"] as const

/** Members, your account, this workspace and monitoring. */
export default function Page() {
  const [part, setPart] = useQueryState("part", parseAsStringLiteral(parts).withDefault("members"))
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs value={part} onValueChange={(value) => void setPart(value as typeof part)}>
        <TabsList aria-label="Settings">
          <TabsTrigger value="members">Members</TabsTrigger>
          <TabsTrigger value="account">Your account</TabsTrigger>
          <TabsTrigger value="workspace">Workspace</TabsTrigger>
          <TabsTrigger value="monitoring">Monitoring</TabsTrigger>
        </TabsList>
        <TabsContent value="members">
          <Members />
        </TabsContent>
        <TabsContent value="account">
          <YourAccount />
        </TabsContent>
        <TabsContent value="workspace">
          <WorkspaceFacts />
        </TabsContent>
        <TabsContent value="monitoring">
          <Monitoring />
        </TabsContent>
      </Tabs>
    </>
  )
}
