const { readdirSync } = require("node:fs")

/**
 * The rooms of the house, from the street to the ground; docs/architecture.md says what is in each. A room uses those
 * below it and none above, types included.
 */
const rooms = [
  "server/(main|cli)\\.ts",
  "server/start/",
  "server/embedded/",
  "server/rest/",
  "server/pages/",
  "server/trpc/",
  "server/dashboard/",
  "server/http/",
  "server/domain/",
  "server/ledger/",
  "server/solana/",
  "server/settings/",
  "db/",
  "server/lib/",
  "shared/",
]
/** Subjects of the domain, from the top: each uses those below it and none above, types included. */
const subjects = [
  "data-keys/",
  "audits/",
  "operations/",
  "review-decisions/",
  "webhooks/",
  "events/",
  "kyc/",
  "onboarding/",
  "signers/",
  "health/",
  "investors/",
  "privacy/",
  "tokens/",
  "attestations/",
  "notifications/",
  "screening/",
  "accounts/",
  "reviews/",
  "people/",
  "schemas/",
  "audit-log/",
  "sealed.ts",
  "token-accounts/",
  "deployment.ts",
  "idempotency.ts",
  "context.ts",
  "providers/",
]
/** Tests may use what they like of the server. */
const TESTS = "\\.test\\.ts$"

const above = (room) => rooms.slice(0, rooms.indexOf(room))
const inDomain = (some) => `^server/domain/(${some.join("|").replaceAll(".", "\\.")})`

for (const { name } of readdirSync("server/domain", { withFileTypes: true })) {
  const isListed = subjects.includes(name) || subjects.includes(`${name}/`)
  if (!isListed && !/\.(test\.ts|md)$/.test(name))
    throw new Error(`server/domain/${name} has no place in the order of subjects in .dependency-cruiser.cjs`)
}

module.exports = {
  forbidden: [
    {
      name: "pages-import-only-types-of-the-server",
      comment:
        "A module that both Next's bundle and the server import would exist twice in one process. Use import type.",
      severity: "error",
      from: { path: "^app/" },
      to: { path: "^(server|db)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "server-imports-nothing-of-the-pages",
      comment: "The server serves any client; the pages are one of them.",
      severity: "error",
      from: { path: "^(server|db|shared)/" },
      to: { path: "^app/" },
    },
    {
      name: "what-is-shared-is-pure",
      comment: "Both sides of the wall import it: it has no input or output, and no library that has.",
      severity: "error",
      from: { path: "^shared/", pathNot: TESTS },
      to: { pathNot: "^shared/|node_modules/zod/" },
    },
    {
      name: "the-client-stands-alone",
      comment: "It is published by itself, for programs that have neither Node nor any library.",
      severity: "error",
      from: { path: "^client/" },
      to: { pathNot: "^client/" },
    },
    {
      name: "the-local-network-stands-alone",
      comment: "It is a package of its own: it needs no server, and any program can start it.",
      severity: "error",
      from: { path: "^localnet/" },
      to: { pathNot: "^localnet/|node_modules/", dependencyTypesNot: ["core"] },
    },
    {
      name: "the-local-network-names-its-dependencies",
      comment: "Its package.json lists every library that it uses.",
      severity: "error",
      from: { path: "^localnet/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "the-local-network-has-one-entry-point",
      comment: "Everything else in it may change without a change outside of it.",
      severity: "error",
      from: { pathNot: "^localnet/" },
      to: {
        path: "^localnet/",
        pathNot: "^localnet/src/index\\.ts$|^localnet/test/(client|shapes/index)\\.ts$",
      },
    },
    {
      name: "the-ledger-has-one-entry-point",
      comment: "Its guarantees depend on how its modules work together. Import server/ledger/index.ts.",
      severity: "error",
      from: { pathNot: `^server/ledger/|^test/|^bench/|${TESTS}` },
      to: { path: "^server/ledger/", pathNot: "^server/ledger/index\\.ts$" },
    },
    ...rooms.slice(1).map((room) => ({
      name: `no-way-up-from-${room.replace(/\/$/, "").replace("/", "-")}`,
      comment: "Arrows run one way: transports, domain, ledger, Solana and database.",
      severity: "error",
      from: { path: `^${room}`, pathNot: TESTS },
      to: { path: `^(${above(room).join("|")})` },
    })),
    ...subjects.slice(1).map((subject, n) => ({
      name: `no-way-up-from-${subject.replace(/\/$|\.ts$/, "")}`,
      comment: "Pairs of subjects point one way: pass a fact or a function in, or move what both need below them.",
      severity: "error",
      from: { path: inDomain([subject]), pathNot: TESTS },
      to: { path: inDomain(subjects.slice(0, n + 1)) },
    })),
    {
      name: "no-circle",
      comment: "Two modules that need one another are one, or hide a third. Types count.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    // Without it, imports that only give types are not seen at all.
    tsPreCompilationDeps: true,
  },
}
