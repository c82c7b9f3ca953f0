import { defineConfig } from "vitest/config"
import { hasPostgres15 } from "./scripts/postgres-15.mjs"
import { localnetOnlyFiles, onValidator } from "./test/run/on-validator.ts"
import Sequence from "./test/run/sequence.ts"

const postgres15 = "test/postgres-15/**/*.test.ts"
const folders = "{app,localnet,server,shared,db,test}"
const unit = `${folders}/**/*.unit.test.ts`
/** An API test that takes long, in time or in processor time: `npm test` leaves it out. */
const slow = `${folders}/**/*.slow.test.ts`
const chaos = "test/chaos/**/*.test.ts"
const cluster = "test/cluster/**/*.test.ts"

export default defineConfig({
  test: {
    pool: "forks",
    // A process's next files reuse its imports: importing the server took a third of the time.
    isolate: false,
    experimental: { fsModuleCache: true },
    sequence: { sequencer: Sequence },
    // Four on two cores, because some always wait for a clock, a chain or a disk.
    maxWorkers: 4,
    // Only a broken test takes this long. A loaded machine and a validator are slow, and no test measures time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    // Quick tests first, then all others in parallel.
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
          exclude: [unit, slow, chaos, cluster, postgres15],
          globalSetup: ["test/run/global-setup.ts"],
          sequence: { groupOrder: 1 },
          // Six on two cores, because some always wait for a chain, a lock or a clock.
          maxWorkers: 6,
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: [slow],
          globalSetup: ["test/run/global-setup.ts"],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "postgres15",
          include: hasPostgres15() ? [postgres15] : [],
          globalSetup: ["test/postgres-15/setup.ts"],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "chaos",
          include: [chaos],
          globalSetup: ["test/run/global-setup.ts"],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "cluster",
          include: [cluster],
          globalSetup: ["test/run/global-setup.ts"],
          // Last and one after the other: a validator takes most of a core, and its slots do not wait.
          sequence: { groupOrder: 3 },
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: "validator",
          include: onValidator(`${folders}/**/*.test.ts`),
          exclude: [`${folders}/**/!(asset*).unit.test.ts`, chaos, cluster, postgres15, ...localnetOnlyFiles],
          globalSetup: ["test/run/global-setup.ts", "test/run/validator-setup.ts"],
          setupFiles: ["test/run/skip-localnet-only.ts"],
          sequence: { groupOrder: 4 },
          maxWorkers: 3,
        },
      },
    ],
  },
})
