import { Tokens } from "./tokens.tsx"

export default function Page() {
  return <Tokens />
}
