import { defineConfig } from "vitest/config"

const folders = "{app,server,shared,db,test}"
const unit = `${folders}/**/*.unit.test.ts`
const chaos = "test/chaos/**/*.test.ts"

export default defineConfig({
  test: {
    pool: "forks",
    // Three on two cores: there is always one that waits for a clock, a chain or a disk.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A loaded machine is slow, and no test measures how long something took.
    expect: { poll: { timeout: 20_000 } },
    // The quick ones first, then all others side by side.
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
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
