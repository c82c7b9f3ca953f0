import { SignIn } from "./sign-in.tsx"

type Query = Promise<Record<string, string | string[] | undefined>>

export default async function Page({ searchParams }: { searchParams: Query }) {
  const { next } = await searchParams
  return <SignIn next={typeof next === "string" ? next : undefined} />
}
