import { carriesSession } from "#app/(dashboard)/signed-in.ts"
import NotFound from "#app/not-found.tsx"
import { Lost } from "./lost.tsx"

export default async function LostPage() {
  return (await carriesSession()) ? <Lost /> : <NotFound />
}
