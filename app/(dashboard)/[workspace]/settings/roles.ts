import type { Role } from "#shared/roles.ts"

/** Roles as people choose them. */
export const roleNames = {
  owner: { name: "Owner", may: "Everything, including members" },
  developer: { name: "Developer", may: "Everything except members" },
  viewer: { name: "Viewer", may: "Read only" },
} as const satisfies Record<Role, { name: string; may: string }>
