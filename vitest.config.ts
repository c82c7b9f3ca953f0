import { defineConfig } from "vitest/config"

const folders = "{app,server,shared,db,test}"
const unit = `${folders}/**/*.unit.test.ts`
const chaos = "test/chaos/**/*.test.ts"

export default defineConfig({
  test: {
    pool: "forks",
    // Two, because most files drive a Postgres of their own load and small machines have two cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A loaded machine is slow, and no test measures how long something took.
    expect: { poll: { timeout: 20_000 } },
    // One after the other, the quick ones first.
    projects: [
      {
        extends: true,
        test: { name: "unit", include: [unit], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: "api",
          include: [`${folders}/**/*.test.ts`],
          exclude: [unit, chaos],
          globalSetup: ["test/global-setup.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "chaos",
          include: [chaos],
          globalSetup: ["test/global-setup.ts"],
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
