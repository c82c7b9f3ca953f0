import { quietButton } from "./components/button.ts"
import { Card } from "./components/card.tsx"

export default function NotFound() {
  return (
    <Card>
      <title>Not found · Vouch</title>
      <h1 className="text-2xl font-semibold tracking-tight">Page not found</h1>
      <p className="mt-2 mb-6 text-muted">
        Check the address. To verify a wallet, open the full link you were given.
      </p>
      <a href="/" className={quietButton}>
        Go to the start
      </a>
    </Card>
  )
}
