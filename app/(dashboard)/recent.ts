import { remember, remembered, rememberedNames } from "#app/components/storage.ts"

const PREFIX = "vouch.recent."
/** The most objects to remember for each workspace. */
const MOST = 6

/** The paths below the workspace: ids only, so that nothing of a person stays in the browser. */
type Stored = { user: string; paths: string[] }

/** An object's page ends with an id. */
const OBJECT =
  /^(?:(?:investors|attestations|reviews|approvals|distributions|recoveries|events|webhooks|logs)\/[a-z]+_[1-9A-Za-z]+|tokens\/[a-z0-9_-]+(?:\/operations\/op_[1-9A-Za-z]+)?)$/

export const isObject = (path: string): boolean => OBJECT.test(path) && path !== "tokens/new-token"

/** The objects that this user opened last in this browser, newest first. */
export function recentPaths(workspaceId: string, user: string): string[] {
  try {
    const stored = JSON.parse(remembered(PREFIX + workspaceId) ?? "null") as Stored | null
    return stored?.user === user ? stored.paths.filter(isObject) : []
  } catch {
    return []
  }
}

export function rememberPath(workspaceId: string, user: string, path: string): void {
  if (!isObject(path)) return
  const paths = [path, ...recentPaths(workspaceId, user).filter((other) => other !== path)].slice(0, MOST)
  remember(PREFIX + workspaceId, JSON.stringify({ user, paths } satisfies Stored))
}

/** For all workspaces, when the user signs out. */
export function forgetRecent(): void {
  for (const name of rememberedNames()) if (name.startsWith(PREFIX)) remember(name, null)
}
