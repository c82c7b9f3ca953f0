import type { Workspace } from "./workspace.tsx"

const KEY = "vouch.workspace"

/** Remembers where somebody is, for when they come back to the start. */
export function rememberWorkspace(id: string): void {
  try {
    localStorage.setItem(KEY, id)
  } catch {
    // Storage is full or forbidden: then they begin in their first workspace.
  }
}

/** Where to begin: the workspace of the last visit, else the first, which is a test one. */
export function lastWorkspace<Known extends Pick<Workspace, "id">>(workspaces: Known[]): Known | undefined {
  let id: string | null = null
  try {
    id = localStorage.getItem(KEY)
  } catch {
    // As above
  }
  return workspaces.find((workspace) => workspace.id === id) ?? workspaces[0]
}
