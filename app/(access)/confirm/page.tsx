import { carriesSession } from "#app/(dashboard)/signed-in.ts"
import { Confirm } from "./confirm.tsx"

type Query = Promise<Record<string, string | string[] | undefined>>

export default async function Page({ searchParams }: { searchParams: Query }) {
  const { token } = await searchParams
  return <Confirm token={typeof token === "string" ? token : ""} mayBeSignedIn={await carriesSession()} />
}
