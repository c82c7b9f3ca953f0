import type { ApproverRole } from "#shared/approvals.ts"

const approvers = { owner: "owner", compliance: "compliance officer" } as const satisfies Record<ApproverRole, string>

/** Whose approval a policy requires: "2 approvals by an owner or compliance officer". */
export function neededApprovals(count: number, roles: readonly ApproverRole[]): string {
  const by = (["owner", "compliance"] as const).filter((role) => roles.includes(role)).map((role) => approvers[role])
  return `${count === 1 ? "1 approval" : `${count} approvals`} by ${by[0] === "owner" ? "an" : "a"} ${by.join(" or ")}`
}
