import { plainText } from "#server/lib/text.ts"

/** What a member types to find people. As long as an external id may be. */
export const searchText = plainText(200)
