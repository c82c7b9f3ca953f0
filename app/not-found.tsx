import { quietButton } from "./components/button.ts"
import { Card } from "./components/card.tsx"

export default function NotFound() {
  return (
    <Card>
      <title>Not found · Vouch</title>
      <h1 className="text-2xl font-semibold tracking-tight">There is no such page</h1>
      <p className="mt-2 mb-6 text-muted">
        Check the address. If you were given a link to verify a wallet, open the whole of it.
      </p>
      <a href="/" className={quietButton}>
        Go to the start
      </a>
    </Card>
  )
}
