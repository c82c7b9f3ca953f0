import type { ErrorExample } from "#shared/error-examples.ts"

/** A request as it is sent, without the headers that a client adds itself. */
export const requestText = ({ request: { method, path, headers, body } }: ErrorExample): string =>
  [
    `${method} ${path}`,
    ...Object.entries(headers).map(([name, value]) => `${capitalised(name)}: ${value}`),
    ...(body === undefined ? [] : ["", body]),
  ].join("\n")

const capitalised = (name: string): string => name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())
