import type { NextConfig } from "next"

export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm run typecheck` checks everything once. A build on a small machine need not repeat it.
  typescript: { ignoreBuildErrors: true },
  images: { unoptimized: true },
  // Otherwise Next looks for lockfiles above this folder, and uses the folder of one as the root.
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
  // Sends every client the page's metadata first, instead of streaming it later.
  htmlLimitedBots: /.*/,
  // Files in public/ have no fingerprint in their names, so browsers check after a day whether they have changed.
  headers: async () => [
    {
      source: "/:file([^/]+[.](?:ico|png|svg|txt|webmanifest))",
      headers: [{ key: "Cache-Control", value: "public, max-age=86400" }],
    },
  ],
} satisfies NextConfig
