import { createHash } from "node:crypto"
import { z } from "zod"
import { type Queryable, sql } from "#db/client.ts"
import { columns, only, qualified, type RowOf } from "#db/rows.ts"
import { recordAccountChange } from "#domain/audit-log"
import type { Caller, Principal } from "#domain/requests"
import { isColor } from "#shared/contrast.ts"
import { changeAccount } from "./accounts.ts"
import { type LogoType, logoTypeOf, readLogo } from "./logo-image.ts"

/** What the hosted page shows about a company besides its name. */
export type Brand = {
  /** #rrggbb; null for Vouch's default. */
  color: string | null
  /** The contact for investors: an email address or an https URL. */
  contact: string | null
  logo: { path: string; width: number; height: number } | null
}

export const brandColor = z.string().toLowerCase().refine(isColor, "must be a colour such as #1d4ed8.").nullable()

/** Refuses text before the host that looks like another host, and characters that change text direction. */
const PAGE = /^https:\/\/[\w.:-]+(?:[/?#][!-~]*)?$/

/** An email address or a page, but nothing that a browser would execute. */
export const contact = z
  .union(
    [
      z.email().max(200),
      z
        .url({ protocol: /^https$/, hostname: z.regexes.domain })
        .max(200)
        .regex(PAGE),
    ],
    "must be an email address or a URL that begins with https://.",
  )
  .nullable()

/** Without the logo's bytes, which are read only when a browser requests the logo. */
export const brandColumns = columns("accounts", "brand_color, contact, logo_hash, logo_width, logo_height")
export type BrandRow = RowOf<typeof brandColumns>

export const brandOf = (row: BrandRow): Brand => ({
  color: row.brand_color,
  contact: row.contact,
  logo: row.logo_hash && {
    path: `/logo/${row.logo_hash.toString("hex")}`,
    width: row.logo_width!,
    height: row.logo_height!,
  },
})

/** The brand of a workspace's account. */
export async function readBrand({ workspaceId }: Pick<Principal, "workspaceId">): Promise<Brand> {
  const rows = await sql<BrandRow[]>`
    select ${sql(qualified("a", brandColumns))} from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}`
  return brandOf(only(rows))
}

/** Sets the colour and contact on the hosted pages of an account's workspaces. */
export const setBrand = (caller: Caller, { color, contact }: Pick<Brand, "color" | "contact">): Promise<Brand> =>
  changeBrand(caller, async (sql, accountId, before) => {
    await sql`update accounts set brand_color = ${color}, contact = ${contact} where id = ${accountId}`
    return [...(before.brand_color === color ? [] : ["color"]), ...(before.contact === contact ? [] : ["contact"])]
  })

/** Sets a logo, or removes it (null). Errors: validation_failed. */
export function setLogo(caller: Caller, logo: Buffer | null): Promise<Brand> {
  const { width, height } = logo ? readLogo(logo) : { width: null, height: null }
  // The logo's address contains its hash, so browsers can cache a logo and still show a new one immediately.
  const hash = logo && createHash("sha256").update(logo).digest()
  return changeBrand(caller, async (sql, accountId, before) => {
    if (before.logo_hash === hash || (hash && before.logo_hash?.equals(hash))) return []
    await sql`
      update accounts set logo = ${logo}, logo_hash = ${hash}, logo_width = ${width}, logo_height = ${height}
      where id = ${accountId}`
    return ["logo"]
  })
}

async function changeBrand(
  caller: Caller,
  make: (sql: Queryable, accountId: string, before: BrandRow) => Promise<string[]>,
): Promise<Brand> {
  await changeAccount(caller, "member:write", async (sql, { id }) => {
    const rows = await sql<BrandRow[]>`select ${sql(brandColumns)} from accounts where id = ${id}`
    const changed = await make(sql, id, only(rows))
    if (changed.length === 0) return
    const detail = { changed }
    await recordAccountChange(sql, id, { author: caller, action: "account.branded", subject: id, detail })
  })
  return readBrand(caller.principal)
}

/** A logo by the hash of its bytes, readable by anyone; null if no account has it. */
export async function findLogo(hash: Buffer): Promise<{ bytes: Buffer; type: LogoType } | null> {
  const [row] = await sql<{ logo: Buffer }[]>`select logo from accounts where logo_hash = ${hash} limit 1`
  return row ? { bytes: row.logo, type: logoTypeOf(row.logo)! } : null
}
