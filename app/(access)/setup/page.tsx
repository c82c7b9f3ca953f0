import { carriesSession } from "../../(dashboard)/signed-in.ts"
import { Invitation } from "../invitation.tsx"

type Query = Promise<Record<string, string | string[] | undefined>>

export default async function Page({ searchParams }: { searchParams: Query }) {
  const { token } = await searchParams
  return <Invitation token={typeof token === "string" ? token : ""} mayBeSignedIn={await carriesSession()} />
}
