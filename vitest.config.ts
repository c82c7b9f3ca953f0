import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: [
      "app/**/*.test.ts",
      "server/**/*.test.ts",
      "shared/**/*.test.ts",
      "db/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    globalSetup: ["test/global-setup.ts"],
    pool: "forks",
    // Two, because most files drive a Postgres of their own load and small machines have two cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A loaded machine is slow, and no test measures how long something took.
    expect: { poll: { timeout: 20_000 } },
  },
})
