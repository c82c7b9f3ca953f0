import { notFound } from "next/navigation.js"
import type { ReactNode } from "react"
import { Shell, SignInFirst } from "#app/(dashboard)/shell.tsx"
import { carriesSession } from "#app/(dashboard)/signed-in.ts"

export default async function Layout({
  params,
  children,
}: {
  params: Promise<{ workspace: string }>
  children: ReactNode
}) {
  const { workspace } = await params
  // Any other first path segment is not one of our pages.
  if (!/^ws_\w+$/.test(workspace)) notFound()
  if (!(await carriesSession())) return <SignInFirst />
  return <Shell workspaceId={workspace}>{children}</Shell>
}
