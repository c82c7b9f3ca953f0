import { notFound } from "next/navigation.js"
import { PageHeader } from "#app/components/frame.tsx"
import { CopyButtons } from "#app/docs/copy-buttons.tsx"
import { type Document, documentAt } from "#app/docs/documents.ts"
import { Frame, Neighbours, Outline } from "#app/docs/frame.tsx"
import "../prose.css"

/** A document of docs/ as a page. */
export default async function Page({ params }: { params: Promise<{ path: string[] }> }) {
  const { path } = await params
  const found = documentAt(path.join("/"))
  if (found === null) notFound()
  const { document, before, after } = found
  return (
    <Frame
      current={`/docs/${document.path}`}
      aside={document.headings.length > 1 && <Outline headings={document.headings} />}
    >
      <PageHeader title={document.title} />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own documents, without raw HTML */}
      <div className="prose" dangerouslySetInnerHTML={{ __html: document.html }} />
      <CopyButtons />
      <Neighbours before={before && pageOf(before)} after={after && pageOf(after)} />
    </Frame>
  )
}

const pageOf = ({ path, title }: Document) => ({ href: `/docs/${path}`, title })
