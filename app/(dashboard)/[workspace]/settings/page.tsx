import { Settings } from "./settings.tsx"

export default function Page() {
  return <Settings />
}
