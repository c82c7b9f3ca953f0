import type { NextConfig } from "next"

export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm run typecheck` does it once for everything; a build on a small machine need not do it again.
  typescript: { ignoreBuildErrors: true },
  images: { unoptimized: true },
  // Else Next looks for lockfiles above this folder, and takes one that it finds there for the root.
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
  // What describes the page comes with the first bytes for everybody, and not streamed behind them.
  htmlLimitedBots: /.*/,
  // Browsers ask for it where they have not read the page's own icon yet.
  redirects: async () => [{ source: "/favicon.ico", destination: "/icon.svg", permanent: true }],
} satisfies NextConfig
