import type { Principal } from "#server/domain/context.ts"
import type { Author } from "#server/domain/tokens/configs.ts"
import { allScopes } from "#shared/scopes.ts"
import type { TestKey } from "./app.ts"

/** Whoever runs the deployment, at work in the workspace of a key. */
export const operatorOf = ({ workspaceId, mode }: Pick<TestKey, "workspaceId" | "mode">): Principal => ({
  workspaceId,
  mode,
  scopes: new Set(allScopes),
  via: { kind: "operator" },
})

/** The same as the author of a change. */
export const byOperator = (key: TestKey): Author => ({ principal: operatorOf(key), requestId: null })
