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
  // The files of public/ have no fingerprint in their names: a day, and then whether they have changed is asked.
  headers: async () => [
    {
      source: "/:file([^/]+[.](?:ico|png|svg|txt|webmanifest))",
      headers: [{ key: "Cache-Control", value: "public, max-age=86400" }],
    },
  ],
} satisfies NextConfig
