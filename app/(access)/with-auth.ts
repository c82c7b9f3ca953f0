import type { AuthError, auth } from "./auth.ts"

/**
 * Calls the library that signs in and out, and returns its data. It loads on first use: most pages do not need it.
 * Throws its error in words people can read.
 */
export async function withAuth<Data>(
  call: (client: typeof auth) => Promise<{ data: Data; error: AuthError | null }>,
): Promise<NonNullable<Data>> {
  const { auth, throwIf } = await import("./auth.ts")
  const { data, error } = await call(auth)
  throwIf(error)
  return data!
}
