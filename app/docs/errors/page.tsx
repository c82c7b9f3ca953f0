import { ErrorList } from "./error-list.tsx"

export default function Page() {
  return <ErrorList />
}
