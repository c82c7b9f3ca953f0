import { notFound, redirect } from "next/navigation.js"
import { isSection } from "#app/(dashboard)/sections.ts"
import { carriesSession } from "#app/(dashboard)/signed-in.ts"
import { Start } from "#app/(dashboard)/start.tsx"

/** `/attestations` opens that section of the workspace visited last, and `/ws_…` the overview of that workspace. */
export default async function Page({ params }: { params: Promise<{ workspace: string }> }) {
  const { workspace: part } = await params
  if (/^ws_\w+$/.test(part)) redirect(`/${part}/overview`)
  // Next requires the same name for this path segment everywhere. Here it can also be a section.
  if (!isSection(part)) notFound()
  if (!(await carriesSession())) redirect(`/sign-in?next=/${part}`)
  return <Start section={part} />
}
