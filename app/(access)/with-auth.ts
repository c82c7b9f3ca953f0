import type { AuthError, auth } from "./auth.ts"

/** Calls the sign-in library, which loads on first use. Returns its data, or throws its error in words for people. */
export async function withAuth<Data>(
  call: (client: typeof auth) => Promise<{ data: Data; error: AuthError | null }>,
): Promise<NonNullable<Data>> {
  const { auth, throwIf } = await import("./auth.ts")
  const { data, error } = await call(auth)
  throwIf(error)
  return data!
}
