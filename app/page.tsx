import { Card } from "./components/card.tsx"

const links = [
  { href: "/v1/openapi.json", name: "API description", what: "OpenAPI 3.1, every endpoint below /v1" },
  { href: "/v1/health", name: "Health", what: "Database, chain and worker, as they are now" },
]

export default function Home() {
  return (
    <Card>
      <title>Vouch</title>
      <h1 className="text-2xl font-semibold tracking-tight">A Vouch server</h1>
      <p className="mt-2 text-muted">
        Vouch verifies the person behind a wallet and records the result on Solana. This is the server itself:
        applications speak to its API, and wallet holders get a link of their own.
      </p>
      <ul className="mt-6 divide-y divide-line border-y border-line">
        {links.map(({ href, name, what }) => (
          <li key={href}>
            <a href={href} rel="noreferrer" className="group block py-3">
              <span className="flex items-baseline justify-between gap-4">
                <span className="font-medium group-hover:underline">{name}</span>
                <code className="font-mono text-[13px] text-muted">{href}</code>
              </span>
              <span className="block text-sm text-muted">{what}</span>
            </a>
          </li>
        ))}
      </ul>
      <p className="mt-6 text-sm text-muted">
        Were you asked to verify a wallet? Your page is below <code className="font-mono">/verify/</code>.
        Open the whole link that you were given.
      </p>
    </Card>
  )
}
