import { redirect } from "next/navigation.js"
import { carriesSession } from "./(dashboard)/signed-in.ts"
import { Start } from "./(dashboard)/start.tsx"

/** The start: the overview of the last workspace, for whoever is signed in. */
export default async function Home() {
  if (!(await carriesSession())) redirect("/sign-in")
  return <Start section="overview" />
}
