/**
 * The input of the wallet standard's `solana:signIn`, from which a wallet makes the text to sign
 * (https://github.com/phantom/sign-in-with-solana, modelled on EIP-4361 and CAIP-122).
 */
export type SignInInput = {
  /** Host of the page, with its port if it has one. */
  domain: string
  address: string
  /** One line of URI characters and spaces. */
  statement: string
  uri: string
  version: string
  /** Omitted if the standard has no name for the network. */
  chainId?: string
  nonce: string
  issuedAt: string
  expirationTime: string
  resources: readonly string[]
}

/** All fields of the standard, including those that Vouch does not send. */
type Parsed = { [Field in keyof SignInInput]: SignInInput[Field] | undefined } & {
  notBefore: string | undefined
  requestId: string | undefined
}

const GREETING = " wants you to sign in with your Solana account:"

/** In the standard's order. An omitted field has no line. */
const lines = [
  ["uri", "URI"],
  ["version", "Version"],
  ["chainId", "Chain ID"],
  ["nonce", "Nonce"],
  ["issuedAt", "Issued At"],
  ["expirationTime", "Expiration Time"],
  ["notBefore", "Not Before"],
  ["requestId", "Request ID"],
] as const satisfies readonly (readonly [keyof Parsed, string])[]

export function signInText(input: SignInInput): string {
  const fields = lines.flatMap(([field, name]) => {
    const value = field in input ? input[field as keyof SignInInput] : undefined
    return value === undefined ? [] : [`${name}: ${value}`]
  })
  const resources = input.resources.map((resource) => `- ${resource}`)
  const head = [`${input.domain}${GREETING}`, input.address, "", input.statement, ""]
  return [...head, ...fields, "Resources:", ...resources].join("\n")
}

const MESSAGE = new RegExp(
  `^(?<domain>[^\\n]+)${GREETING}\\n(?<address>[^\\n]+)(?:\\n\\n(?<statement>[^\\n]+))??(?:\\n${lines
    .map(([field, name]) => `(?:\\n${name}: (?<${field}>[^\\n]+))?`)
    .join("")}(?:\\nResources:(?<resources>(?:\\n- [^\\n]+)*))?)?$`,
)

/** Parses a text in the standard's form; null for another form. */
export function readSignInText(text: string): Parsed | null {
  const groups = MESSAGE.exec(text)?.groups
  if (groups === undefined) return null
  const { resources, ...fields } = groups as Record<string, string | undefined>
  return { ...fields, resources: resources?.split("\n- ").slice(1) } as Parsed
}

/**
 * The first field of a text that differs from the request, beginning with those that say what it is for; `message` for
 * another form. Null only if identical: the standard lets a wallet add omitted fields, but ours omits none.
 */
export function firstDifference(input: SignInInput, text: string): keyof Parsed | "message" | null {
  if (text === signInText(input)) return null
  const parsed = readSignInText(text)
  if (parsed === null) return "message"
  const wanted: Partial<Parsed> = input
  const first = ["domain", "address", "uri", "resources", "nonce", "statement"] as const
  return (
    [...first, ...lines.map(([field]) => field)].find((field) => String(parsed[field]) !== String(wanted[field])) ??
    "message"
  )
}
