import { redirect } from "next/navigation.js"
import { carriesSession } from "./(dashboard)/signed-in.ts"
import { Start } from "./(dashboard)/start.tsx"

/** The start page: opens the overview of the last workspace for a signed-in user. */
export default async function Home() {
  if (!(await carriesSession())) redirect("/sign-in")
  return <Start section="overview" />
}
