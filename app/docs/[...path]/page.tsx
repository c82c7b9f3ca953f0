import { notFound } from "next/navigation.js"
import { PageHeader } from "#app/components/page-header.tsx"
import { CopyButtons } from "#app/docs/copy-buttons.tsx"
import { type Document, documentAt } from "#app/docs/documents.ts"
import { Frame } from "#app/docs/frame.tsx"
import { Outline } from "#app/docs/outline.tsx"
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
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own documents, and raw HTML in them is dropped */}
      <div className="prose" dangerouslySetInnerHTML={{ __html: document.html }} />
      <CopyButtons />
      <nav aria-label="Before and after" className="mt-12 flex flex-wrap justify-between gap-4 text-sm">
        {before ? <Neighbour rel="prev" document={before} /> : <span />}
        {after && <Neighbour rel="next" document={after} />}
      </nav>
    </Frame>
  )
}

const Neighbour = ({ rel, document }: { rel: "prev" | "next"; document: Document }) => (
  <a
    rel={rel}
    href={`/docs/${document.path}`}
    className={`rounded-lg border border-line bg-surface px-4 py-2.5 hover:bg-sunken ${rel === "next" ? "text-right" : ""}`}
  >
    <span className="block text-xs text-muted">{rel === "next" ? "Next" : "Before"}</span>
    {document.title}
  </a>
)
