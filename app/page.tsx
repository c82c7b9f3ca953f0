import { redirect } from "next/navigation.js"
import { carriesSession } from "./(dashboard)/signed-in.ts"
import { Start } from "./(dashboard)/start.tsx"

/** The start page: opens the overview of a signed-in user's last visited workspace. */
export default async function Home() {
  if (!(await carriesSession())) redirect("/sign-in")
  return <Start section="overview" />
}
