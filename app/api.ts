import { createApi } from "./call.ts"

/** The pages' API client outside of a workspace. */
export const api = createApi()
