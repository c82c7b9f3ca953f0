import { allScopes, type Permission } from "./scopes.ts"

/** What a member may do. A viewer changes nothing. */
export const roles = {
  owner: [...allScopes, "key:write", "schema:write", "member:write"],
  developer: [...allScopes, "key:write", "schema:write"],
  viewer: allScopes.filter((scope) => scope.endsWith(":read")),
} as const satisfies Record<string, readonly Permission[]>

export type Role = keyof typeof roles

export const allRoles = Object.keys(roles) as Role[]

export const permissionsOf = (role: Role): ReadonlySet<Permission> => new Set<Permission>(roles[role])
