import { Reference } from "./reference.tsx"

export default function Page() {
  return <Reference />
}
