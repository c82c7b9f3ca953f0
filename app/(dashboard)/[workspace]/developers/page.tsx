import { Developers } from "./developers.tsx"

export default function Page() {
  return <Developers />
}
