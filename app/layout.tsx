import { GeistMono } from "geist/font/mono"
import { GeistSans } from "geist/font/sans"
import type { Metadata, Viewport } from "next"
import { connection } from "next/server.js"
import type { ReactNode } from "react"
import "./globals.css"

// Each page renders its own <title>: one of these would arrive later, and replace what a page says meanwhile.
export const metadata: Metadata = {
  description: "Verifies the person behind a wallet, and records it on Solana.",
  referrer: "no-referrer",
}

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f6f7f6" },
    { media: "(prefers-color-scheme: dark)", color: "#0b0e0d" },
  ],
}

export default async function Layout({ children }: { children: ReactNode }) {
  // A page that was rendered before its request has no nonce, and the content security policy stops its scripts.
  await connection()
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <body className="font-sans text-[15px] leading-relaxed">{children}</body>
    </html>
  )
}
