import { notFound, redirect } from "next/navigation.js"
import { isSection } from "#app/(dashboard)/sections.ts"
import { carriesSession } from "#app/(dashboard)/signed-in.ts"
import { Start } from "#app/(dashboard)/start.tsx"

/** `/attestations` is that section of the last workspace, and `/ws_…` that workspace's overview. */
export default async function Page({ params }: { params: Promise<{ workspace: string }> }) {
  const { workspace: part } = await params
  if (/^ws_\w+$/.test(part)) redirect(`/${part}/overview`)
  // Next gives this part of an address one name wherever it stands; here it is a section without its workspace.
  if (!isSection(part)) notFound()
  if (!(await carriesSession())) redirect(`/sign-in?next=/${part}`)
  return <Start section={part} />
}
