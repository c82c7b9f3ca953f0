/** Token-2022 extensions that an asset mint may have. They are fixed when the mint is created. */
export const mintExtensions = ["pausable", "scaled_ui_amount", "permissioned_burn"] as const
export type MintExtension = (typeof mintExtensions)[number]
