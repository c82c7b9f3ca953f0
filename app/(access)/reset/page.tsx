import { Reset } from "./reset.tsx"

type Query = Promise<Record<string, string | string[] | undefined>>

export default async function Page({ searchParams }: { searchParams: Query }) {
  const { token } = await searchParams
  return <Reset token={typeof token === "string" ? token : ""} />
}
