/** The two walls between the pages and the server; docs/architecture.md says why they stand. */
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
      from: { path: "^(server|db)/" },
      to: { path: "^app/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    // Without it, imports that only give types are not seen at all.
    tsPreCompilationDeps: true,
  },
}
