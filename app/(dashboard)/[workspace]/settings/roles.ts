import type { Role } from "#shared/roles.ts"

/** Roles as people choose them. */
export const roleNames = {
  owner: { name: "Owner", may: "Everything, members too" },
  developer: { name: "Developer", may: "Everything but members" },
  viewer: { name: "Viewer", may: "Reads, and changes nothing" },
} as const satisfies Record<Role, { name: string; may: string }>
