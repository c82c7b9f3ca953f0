import { notFound, redirect } from "next/navigation.js"
import { carriesSession } from "#app/(dashboard)/signed-in.ts"
import { Start } from "#app/(dashboard)/start.tsx"

// Next gives this part of an address one name wherever it stands; here it is a section without its workspace.
const sections = /^(overview|attestations|sessions|tokens|keys|logs|schemas|developers|audit|settings)$/

/** `/attestations` is that section of the last workspace, and `/ws_…` that workspace's overview. */
export default async function Page({ params }: { params: Promise<{ workspace: string }> }) {
  const { workspace: part } = await params
  if (/^ws_\w+$/.test(part)) redirect(`/${part}/overview`)
  if (!sections.test(part)) notFound()
  if (!(await carriesSession())) redirect(`/sign-in?next=/${part}`)
  return <Start section={part} />
}
