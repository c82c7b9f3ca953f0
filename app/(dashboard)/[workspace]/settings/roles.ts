import type { Role } from "#server/users/roles.ts"

/** Roles as people choose them. */
export const roleNames = {
  owner: { name: "Owner", may: "Everything, members too" },
  developer: { name: "Developer", may: "Everything but members" },
  viewer: { name: "Viewer", may: "Reads, and changes nothing" },
} as const satisfies Record<Role, { name: string; may: string }>
