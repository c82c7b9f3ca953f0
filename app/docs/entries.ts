import { errorCodes, errors } from "#shared/errors.ts"
import { placeOf, reference } from "./api/openapi.ts"
import { allDocuments } from "./documents.ts"

/** An entry of the search: a section of a document, an endpoint or an error. */
export type Entry = { href: string; title: string; page: string; text: string }

export function searchEntries(): Entry[] {
  return [
    ...allDocuments().flatMap(({ path, title, sections }) =>
      sections.map((section) => ({
        href: `/docs/${path}${section.id === "" ? "" : `#${section.id}`}`,
        title: section.title,
        page: title,
        text: section.text,
      })),
    ),
    ...reference().tags.flatMap((tag) =>
      tag.endpoints.map((endpoint) => ({
        href: placeOf(endpoint),
        title: endpoint.summary,
        page: "API reference",
        text: `${endpoint.method} ${endpoint.path} ${endpoint.id}. ${endpoint.description}`,
      })),
    ),
    ...errorCodes.map((code) => ({
      href: `/docs/errors/${code}`,
      title: code,
      page: "Errors",
      text: `${errors[code].title}. ${errors[code].fix}`,
    })),
  ]
}
