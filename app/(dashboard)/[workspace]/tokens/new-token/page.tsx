import { CreateToken } from "./create.tsx"

export default function Page() {
  return <CreateToken />
}
