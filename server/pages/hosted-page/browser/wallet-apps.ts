/** Wallet apps that can open a page in their own browser through a link on a phone. */
export const walletApps = [
  {
    name: "Phantom",
    /** https://docs.phantom.com/phantom-deeplinks/other-methods/browse */
    open: "https://phantom.app/ul/browse/",
  },
  {
    name: "Solflare",
    /** https://docs.solflare.com/solflare/technical/deeplinks/other-methods/browse */
    open: "https://solflare.com/ul/v1/browse/",
  },
  {
    name: "Backpack",
    /** https://support.backpack.exchange/wallet/technical-docs/deeplinks */
    open: "https://backpack.app/ul/v1/browse/",
  },
] as const

/** The link that opens a page in an app. All three take the URL-encoded page and the origin that links to it. */
export function linkInto({ open }: (typeof walletApps)[number], page: string): string {
  const { href, origin } = new URL(page)
  return `${open}${encodeURIComponent(href)}?ref=${encodeURIComponent(origin)}`
}

/** Whether this is a phone or a tablet. An iPad claims to be a Mac, but no Mac has a touch screen. */
export const isPhone = ({ userAgent, maxTouchPoints }: Pick<Navigator, "userAgent" | "maxTouchPoints">) =>
  /Android|iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes("Macintosh") && maxTouchPoints > 1)
