import type { ErrorExample } from "#shared/error-examples.ts"

/** A request as it is sent, without the headers that a client adds itself. */
export const requestText = ({ request: { method, path, headers, body } }: ErrorExample): string =>
  inHttp(`${method} ${path}`, headers, body)

/** A response of the API as it arrives, with the headers that say something about the error. */
export const responseText = ({ status, headers, body }: ErrorExample): string =>
  inHttp(
    `HTTP/1.1 ${status}`,
    {
      "content-type": "application/json",
      ...("request_id" in body && { "x-request-id": body.request_id }),
      ...headers,
    },
    JSON.stringify(body, null, 2),
  )

const inHttp = (first: string, headers: Readonly<Record<string, string>>, body: string | undefined): string =>
  [
    first,
    ...Object.entries(headers).map(([name, value]) => `${named(name)}: ${value}`),
    ...(body === undefined ? [] : ["", body]),
  ].join("\n")

const capitalised = (name: string): string => name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

const named = (name: string): string => (name === "www-authenticate" ? "WWW-Authenticate" : capitalised(name))
