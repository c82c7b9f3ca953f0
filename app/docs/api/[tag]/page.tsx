import { notFound } from "next/navigation.js"
import { PageHeader } from "#app/components/page-header.tsx"
import { EndpointSection } from "#app/docs/api/endpoint.tsx"
import { reference, type Tag } from "#app/docs/api/openapi.ts"
import { CopyButtons } from "#app/docs/copy-buttons.tsx"
import { Frame } from "#app/docs/frame.tsx"
import { Outline } from "#app/docs/outline.tsx"
import "../../prose.css"

/** The endpoints of one subject. */
export default async function Page({ params }: { params: Promise<{ tag: string }> }) {
  const { tag: slug } = await params
  const tag = reference().tags.find((one) => one.slug === slug)
  if (tag === undefined) notFound()
  return (
    <Frame current={`/docs/api/${slug}`} aside={<Outline headings={headingsOf(tag)} />}>
      <PageHeader title={`${tag.name}: API reference`} heading={tag.name} description={tag.description} />
      {tag.endpoints.map((endpoint) => (
        <EndpointSection key={endpoint.id} tag={tag} endpoint={endpoint} />
      ))}
      <CopyButtons />
    </Frame>
  )
}

const headingsOf = ({ endpoints }: Tag) =>
  endpoints.map(({ id, summary }) => ({ id, level: 2 as const, text: summary }))
