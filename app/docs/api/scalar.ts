import type { createApiReference } from "@scalar/api-reference"
import { repairAccess } from "./repair.ts"

declare global {
  interface Window {
    Scalar?: { createApiReference: typeof createApiReference }
  }
}

// As its maker built it: to bundle its parts again would take longer than all of our pages together.
const script = new URL("@scalar/api-reference/browser/standalone.js", import.meta.url)

/** Shows the document that this server gives of itself in `place`. Returns what takes it away again. */
export async function openReference(place: HTMLElement, signal: AbortSignal): Promise<() => void> {
  const [document] = await Promise.all([read("/v1/openapi.json", signal), load(script.href)])
  signal.throwIfAborted()
  const endRepairs = repairAccess()
  const reference = window.Scalar!.createApiReference(place, {
    content: expandSchemas(document),
    servers: [{ url: `${location.origin}/v1`, description: "This server" }],
    authentication: { preferredSecurityScheme: "apiKey" },
    // An API key that was typed in is not stored.
    persistAuth: false,
    theme: "none",
    withDefaultFonts: false,
    hideDarkModeToggle: true,
    // None of what would speak to its maker.
    telemetry: false,
    agent: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: "never",
    documentDownloadType: "none",
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  })
  return () => {
    endRepairs()
    reference.destroy()
  }
}

async function read(url: string, signal: AbortSignal): Promise<OpenApi> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return response.json()
}

function load(url: string): Promise<void> {
  if (window.Scalar) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const element = document.createElement("script")
    element.src = url
    element.onload = () => resolve()
    element.onerror = () => {
      element.remove()
      reject(new Error(`${url} could not be loaded`))
    }
    document.head.append(element)
  })
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

type OpenApi = { components: { schemas: { [name: string]: Json } } } & { [name: string]: Json }

/**
 * The same document, in which each named schema holds what it refers to. Scalar misreads references that go three deep
 * through an `anyOf`, and logs an error. None of our schemas refers to itself.
 */
function expandSchemas(document: OpenApi): OpenApi {
  const { schemas } = document.components
  const expand = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(expand)
    if (value === null || typeof value !== "object") return value
    const { $ref, ...own } = value
    const name = typeof $ref === "string" ? $ref.split("/").at(-1)! : null
    const expanded = Object.fromEntries(Object.entries(own).map(([key, part]) => [key, expand(part)]))
    return name === null ? expanded : { ...(expand(schemas[name]!) as object), ...expanded }
  }
  return {
    ...document,
    components: { ...document.components, schemas: expand(schemas) as OpenApi["components"]["schemas"] },
  }
}
