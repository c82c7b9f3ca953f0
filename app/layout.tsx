import { GeistMono } from "geist/font/mono"
import { GeistSans } from "geist/font/sans"
import type { Metadata, Viewport } from "next"
import { cookies } from "next/headers.js"
import type { ReactNode } from "react"
import "./globals.css"
import { asTheme, THEME_COOKIE } from "./theme.ts"

// No title here: each page renders its own <title>, and one from the metadata would arrive later and replace it.
const description = "Verify the person behind a wallet, and mint only to verified wallets on Solana."
// Other sites show links with an image, which needs an absolute address. A local server has none.
const origin = process.env.VOUCH_PUBLIC_URL

export const metadata: Metadata = {
  description,
  referrer: "no-referrer",
  manifest: "/site.webmanifest",
  icons: {
    icon: [
      { url: "/favicon.ico", sizes: "32x32" },
      { url: "/icon.svg", type: "image/svg+xml" },
    ],
    apple: "/apple-touch-icon.png",
  },
  ...(origin && {
    metadataBase: new URL(origin),
    openGraph: {
      type: "website",
      siteName: "Vouch",
      title: "Vouch",
      description,
      images: [{ url: "/social.png", width: 1200, height: 630, alt: "Vouch: mint only to verified wallets." }],
    },
    twitter: { card: "summary_large_image" },
  }),
}

const canvas = { light: "#f6f7f6", dark: "#0b0e0d" }

/** The theme chosen in this browser. Sent with the page, so that no other theme flashes first. */
const chosenTheme = async () => asTheme((await cookies()).get(THEME_COOKIE)?.value)

export async function generateViewport(): Promise<Viewport> {
  const theme = await chosenTheme()
  if (theme) return { themeColor: canvas[theme] }
  return {
    themeColor: [
      { media: "(prefers-color-scheme: light)", color: canvas.light },
      { media: "(prefers-color-scheme: dark)", color: canvas.dark },
    ],
  }
}

export default async function Layout({ children }: { children: ReactNode }) {
  // Reading the headers renders the page per request. A page rendered in advance has no nonce, and the content security
  // policy would block its scripts.
  const theme = await chosenTheme()
  return (
    <html lang="en" data-theme={theme} className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <body className="font-sans text-[15px] leading-relaxed">{children}</body>
    </html>
  )
}
