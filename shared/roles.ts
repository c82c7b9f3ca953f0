import { allScopes, type Permission, type Scope } from "./scopes.ts"

const reads = allScopes.filter((scope): scope is Extract<Scope, `${string}:read`> => scope.endsWith(":read"))

/** What each role may do, with the sentence shown when a member chooses a role. */
export const roles = {
  owner: {
    name: "Owner",
    summary: "Everything, including members and account settings",
    permissions: [...allScopes, "key:write", "member:write", "review:write", "claims:read"],
  },
  developer: {
    name: "Developer",
    summary: "API keys, schemas, tokens and revoking; no members, reviews or claims",
    permissions: [...allScopes, "key:write"],
  },
  compliance: {
    name: "Compliance",
    summary:
      "Reviews, revoking, erasing, redemptions, forced transfers, recoveries, claims and exports; no keys or minting",
    permissions: [
      ...reads,
      "attestation:write",
      "investor:erase",
      "investor:recover",
      "token:burn",
      "token:control",
      "register:write",
      "distribution:write",
      "review:write",
      "claims:read",
    ],
  },
  viewer: { name: "Viewer", summary: "Read only, without claims or reviews", permissions: reads },
} as const satisfies Record<string, { name: string; summary: string; permissions: readonly Permission[] }>

export type Role = keyof typeof roles

export const allRoles = Object.keys(roles) as Role[]

export const permissionsOf = (role: Role): ReadonlySet<Permission> => new Set<Permission>(roles[role].permissions)
