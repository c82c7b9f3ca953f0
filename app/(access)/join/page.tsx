import { Invitation } from "#app/(access)/invitation.tsx"
import { carriesSession } from "#app/(dashboard)/signed-in.ts"

type Query = Promise<Record<string, string | string[] | undefined>>

export default async function Page({ searchParams }: { searchParams: Query }) {
  const { token } = await searchParams
  return <Invitation token={typeof token === "string" ? token : ""} mayBeSignedIn={await carriesSession()} />
}
