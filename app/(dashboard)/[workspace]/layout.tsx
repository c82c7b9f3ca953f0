import { notFound } from "next/navigation.js"
import type { ReactNode } from "react"
import { Shell, SignInFirst } from "#app/(dashboard)/shell.tsx"
import { carriesSession } from "#app/(dashboard)/signed-in.ts"

type LayoutProps = { params: Promise<{ workspace: string }>; children: ReactNode }

export default async function Layout({ params, children }: LayoutProps) {
  const { workspace } = await params
  // Any other first path segment is not one of our pages.
  if (!/^ws_\w+$/.test(workspace)) notFound()
  if (!(await carriesSession())) return <SignInFirst />
  return <Shell workspaceId={workspace}>{children}</Shell>
}
