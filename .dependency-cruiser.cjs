const { readdirSync } = require("node:fs")

/**
 * The folders from the outside in; docs/architecture.md says what is in each. A folder imports only from those below it
 * in this list, types included.
 */
const folders = [
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
/** The domain's subjects, from the top: each imports only from those below it, types included. */
const subjects = [
  "data-keys/",
  "audits/",
  "operations/",
  "approval-actions/",
  "review-decisions/",
  "webhooks/",
  "events/",
  "kyc/",
  "onboarding/",
  "signers/",
  "health/",
  "recoveries/",
  "distributions/",
  "snapshots/",
  "audit-anchors/",
  "treasury/",
  "investors/",
  "privacy/",
  "tokens/",
  "attestations/",
  "token-investors/",
  "notifications/",
  "screening/",
  "accounts/",
  "approvals/",
  "reviews/",
  "people/",
  "schemas/",
  "audit-log/",
  "investor-search/",
  "token-accounts/",
  "deployment/",
  "requests/",
  "providers/",
]
/** Tests may import anything from the server. */
const TESTS = "\\.test\\.ts$"

const above = (folder) => folders.slice(0, folders.indexOf(folder))
const inDomain = (some) => `^server/domain/(${some.join("|")})`

for (const { name } of readdirSync("server/domain", { withFileTypes: true })) {
  if (!subjects.includes(`${name}/`) && name !== "README.md")
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
      comment: "Both pages and the server import it, so it has no input or output, and no library that has.",
      severity: "error",
      from: { path: "^shared/", pathNot: TESTS },
      to: { pathNot: "^shared/|node_modules/zod/" },
    },
    {
      name: "the-client-stands-alone",
      comment: "It is published separately, for programs without Node and libraries.",
      severity: "error",
      from: { path: "^client/" },
      to: { pathNot: "^client/" },
    },
    {
      name: "the-local-network-stands-alone",
      comment: "It is a separate package: it needs no server, and any program can start it.",
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
      comment: "Everything else in it may change without changes outside it.",
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
    ...folders.slice(1).map((folder) => ({
      name: `no-way-up-from-${folder.replace(/\/$/, "").replace("/", "-")}`,
      comment: "Arrows run one way: transports, domain, ledger, Solana and database.",
      severity: "error",
      from: { path: `^${folder}`, pathNot: TESTS },
      to: { path: `^(${above(folder).join("|")})` },
    })),
    ...subjects.slice(1).map((subject, n) => ({
      name: `no-way-up-from-${subject.replace("/", "")}`,
      comment:
        "Subjects depend on each other in one direction: pass in a fact or a function, or move shared code below both.",
      severity: "error",
      from: { path: inDomain([subject]), pathNot: TESTS },
      to: { path: inDomain(subjects.slice(0, n + 1)) },
    })),
    {
      name: "a-subject-has-one-entry-point",
      comment: "Import it as #domain/<subject>: everything that its index.ts does not export may change within it.",
      severity: "error",
      from: { path: "^(app|server|db|shared|scripts)/", pathNot: `${TESTS}|^server/domain/` },
      to: { path: "^server/domain/[^/]+/", pathNot: "^server/domain/[^/]+/index\\.ts$" },
    },
    {
      name: "subjects-use-each-other-by-their-entry-points",
      comment: "Import the other subject as #domain/<subject>.",
      severity: "error",
      from: { path: "^server/domain/([^/]+)/", pathNot: TESTS },
      to: { path: "^server/domain/[^/]+/", pathNot: "^server/domain/($1/|[^/]+/index\\.ts$)" },
    },
    {
      name: "no-circle",
      comment: "Merge modules that need each other, or extract a third one. Types count.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    // Without it, type-only imports are ignored.
    tsPreCompilationDeps: true,
  },
}
