import { createApi } from "./call.ts"

/** The pages' only way to the domain, for whoever is in no workspace. */
export const api = createApi()
