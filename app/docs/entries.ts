import { errorCodes, errors } from "#shared/errors.ts"
import { allDocuments } from "./documents.ts"

/** Something that the search finds: a section of a document, an error. */
export type Entry = { href: string; title: string; page: string; text: string }

/** All that the search looks through. */
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
    ...errorCodes.map((code) => ({
      href: `/docs/errors/${code}`,
      title: code,
      page: "Errors",
      text: `${errors[code].title}. ${errors[code].fix}`,
    })),
  ]
}
