import { DocsIndex } from "./docs-index.tsx"

export default function Page() {
  return <DocsIndex />
}
