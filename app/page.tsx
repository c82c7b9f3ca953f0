import { redirect } from "next/navigation.js"
import { carriesSession } from "./(dashboard)/signed-in.ts"
import { Start } from "./(dashboard)/start.tsx"

/** The start page: leads a signed-in user to the overview of their last workspace. */
export default async function Home() {
  if (!(await carriesSession())) redirect("/sign-in")
  return <Start section="overview" />
}
