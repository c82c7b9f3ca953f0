import { PageCard } from "./components/frame.tsx"
import { buttonLook } from "./components/ui/button.tsx"

export default function NotFound() {
  return (
    <PageCard>
      <title>Not found · Vouch</title>
      <h1 className="text-2xl font-semibold tracking-tight">Page not found</h1>
      <p className="mt-2 mb-6 text-muted">Check the address. To verify a wallet, open the full link you were given.</p>
      <a href="/" className={buttonLook({ size: "xl" })}>
        Go to the home page
      </a>
    </PageCard>
  )
}
