"use client"

import { parseAsStringLiteral, useQueryState } from "nuqs"
import { PageHeader } from "../../../components/page-header.tsx"
import { Tabs, TabsContent, TabsList, TabsTrigger } from "../../../components/ui/tabs.tsx"
import { YourAccount } from "./account.tsx"
import { Members } from "./members.tsx"
import { WorkspaceFacts } from "./workspace-facts.tsx"

const parts = ["members", "account", "workspace"] as const

/** Who may come in, how you do, and what this workspace is. */
export function Settings() {
  const [part, setPart] = useQueryState("part", parseAsStringLiteral(parts).withDefault("members"))
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs value={part} onValueChange={(value) => void setPart(value as typeof part)}>
        <TabsList aria-label="Settings">
          <TabsTrigger value="members">Members</TabsTrigger>
          <TabsTrigger value="account">Your account</TabsTrigger>
          <TabsTrigger value="workspace">Workspace</TabsTrigger>
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
      </Tabs>
    </>
  )
}
