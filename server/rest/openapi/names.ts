/** `mint_config` or `Not Found` as `MintConfig` and `NotFound`. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("")

/** `attestation.revoke` is `revokeAttestation`, `schema.list` is `listSchemas`. `meta.openapi` can set another. */
export function operationIdOf(procedure: string): string {
  const words = procedure.split(".")
  const verb = words.pop()!
  return `${verb}${words.map(pascalCase).join("")}${verb === "list" ? "s" : ""}`
}
