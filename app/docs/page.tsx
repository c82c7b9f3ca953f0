import { PageHeader } from "#app/components/frame.tsx"
import { chapters } from "./documents.ts"
import { Frame } from "./frame.tsx"
import { QuickStart } from "./quick-start.tsx"

const others = [
  { href: "/docs/api", name: "API reference", what: "Every endpoint, ready to try" },
  { href: "/docs/errors", name: "Errors", what: "Every error code and how to fix it" },
  { href: "/v1/openapi.json", name: "OpenAPI 3.1", what: "The API description, for client generators" },
  { href: "/developers", name: "Your workspace", what: "The same requests with your own key, and webhooks" },
]

/** One line about each guide. Its title says what the reader does. */
const about: Record<string, string> = {
  walk: "One minute in pictures, with the data of the demo",
  "guides/verify": "A hosted page, any KYC provider, a credential on chain",
  "guides/issue": "A token with rules that the chain enforces",
  "guides/move": "Transfers that are safe to retry",
  "guides/register": "Who held a token on a record date, with a hash on chain",
  "guides/redeem": "Burns and forced transfers, with a reason",
  "guides/distributions": "Pay every holder their share, to the last unit",
  "guides/lost-wallet": "Everything it held, in another wallet of its investor",
  "guides/approvals": "A second person for what is large or final",
  "guides/audit": "Verify the audit log from an export and a public RPC alone",
  "guides/events": "Signed webhooks, and a sequence without a gap",
  "guides/go-live": "What to check before the first investor",
  "guides/providers": "Eight providers, one API",
  "guides/operate": "Normal days, and incidents",
  "guides/curl": "The whole journey, copied into a shell",
}

/** The start page of the documentation. */
export default function Page() {
  const guides = chapters()[0]!.documents.map(({ path, title }) => ({
    href: `/docs/${path}`,
    name: title,
    what: about[path] ?? "",
  }))
  return (
    <Frame current="/docs">
      <PageHeader
        title="Documentation"
        description="Verify the person behind a wallet, then mint and transfer tokens that only verified wallets can hold."
      />
      <Tiles title="Guides" tiles={guides} />
      <QuickStart />
      <Tiles title="Reference" tiles={others} />
    </Frame>
  )
}

const Tiles = ({ title, tiles }: { title: string; tiles: typeof others }) => (
  <section aria-labelledby={title} className="my-6">
    <h2 id={title} className="mb-2 text-sm font-semibold">
      {title}
    </h2>
    <ul className="grid gap-3 text-sm sm:grid-cols-2">
      {tiles.map(({ href, name, what }) => (
        <li key={href}>
          <a
            href={href}
            className="group block h-full rounded-xl border border-line bg-surface px-4 py-3 hover:bg-sunken"
          >
            <span className="font-medium group-hover:underline">{name}</span>
            <span className="block text-[13px] text-muted">{what}</span>
          </a>
        </li>
      ))}
    </ul>
  </section>
)
