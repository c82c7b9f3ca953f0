import { remember, remembered } from "#app/components/storage.ts"
import type { Workspace } from "./workspace.tsx"

const KEY = "vouch.workspace"

export const rememberWorkspace = (id: string): void => remember(KEY, id)

/** The workspace visited last, else the first, which is in test mode. */
export const lastWorkspace = <Known extends Pick<Workspace, "id">>(workspaces: Known[]): Known | undefined =>
  workspaces.find(({ id }) => id === remembered(KEY)) ?? workspaces[0]
