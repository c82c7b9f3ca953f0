import { GeistMono } from "geist/font/mono"
import { GeistSans } from "geist/font/sans"
import type { Metadata, Viewport } from "next"
import { cookies } from "next/headers.js"
import type { ReactNode } from "react"
import "./globals.css"
import { asTheme, THEME_COOKIE } from "./theme.ts"

// Each page renders its own <title>: one of these would arrive later, and replace what a page says meanwhile.
const description = "Verify the person behind a wallet, and mint only to verified wallets on Solana."
// Whoever shows a link to Vouch fetches its image by a whole address. A server of this machine alone has none.
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
      images: [
        { url: "/social.png", width: 1200, height: 630, alt: "Vouch: mint only to verified wallets." },
      ],
    },
    twitter: { card: "summary_large_image" },
  }),
}

const canvas = { light: "#f6f7f6", dark: "#0b0e0d" }

/** The theme that was chosen in this browser. With the page, so that none flashes before another. */
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
  // Read at each request: a page that was rendered before has no nonce, and the content security
  // policy stops its scripts.
  const theme = await chosenTheme()
  return (
    <html lang="en" data-theme={theme} className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <body className="font-sans text-[15px] leading-relaxed">{children}</body>
    </html>
  )
}
