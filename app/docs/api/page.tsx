import { PageHeader } from "#app/components/frame.tsx"
import { CopyButtons } from "#app/docs/copy-buttons.tsx"
import { Frame } from "#app/docs/frame.tsx"
import { Markdown } from "#app/docs/text.tsx"
import { placeOf, reference } from "./openapi.ts"
import "../prose.css"

/** Every endpoint by subject, and what applies to all of them. */
export default function Page() {
  const { document, tags } = reference()
  return (
    <Frame current="/docs/api">
      <PageHeader title="API reference" description="Every endpoint, with samples, ready to try on this server." />
      {tags.map((tag) => (
        <section key={tag.slug} aria-labelledby={tag.slug} className="mt-6 text-sm">
          <h2 id={tag.slug} className="font-semibold">
            {tag.name}
          </h2>
          <p className="mb-2 text-[13px] text-muted">{tag.description}</p>
          <ul className="divide-y divide-line rounded-xl border border-line bg-surface">
            {tag.endpoints.map((endpoint) => (
              <li key={endpoint.id}>
                <a
                  href={placeOf(endpoint)}
                  className="group flex flex-col justify-between gap-x-6 px-4 py-2.5 hover:bg-sunken sm:flex-row sm:items-baseline"
                >
                  <code className="font-mono text-[13px]">
                    <span className="font-semibold text-accent">{endpoint.method}</span> {endpoint.path}
                  </code>
                  <span className="text-muted group-hover:text-ink">{endpoint.summary}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <section aria-labelledby="all" className="mt-10">
        <h2 id="all" className="mb-2 font-semibold">
          What applies to all of them
        </h2>
        <Markdown text={String(document.info.description)} />
        <p className="mt-4 text-sm">
          For client generators:{" "}
          <a href="/v1/openapi.json" className="text-accent underline underline-offset-4">
            openapi.json
          </a>
          ,{" "}
          <a href="/v1/openapi.yaml" className="text-accent underline underline-offset-4">
            openapi.yaml
          </a>
        </p>
      </section>
      <CopyButtons />
    </Frame>
  )
}
