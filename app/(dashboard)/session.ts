import { withAuth } from "#app/(access)/with-auth.ts"
import { forgetRecent } from "./recent.ts"

/** Opens the sign-in, which returns to this page. Loading a new page discards everything read for the member. */
export function goToSignIn(): void {
  const { pathname, search } = window.location
  window.location.replace(`/sign-in?next=${encodeURIComponent(pathname + search)}`)
}

export async function signOut(): Promise<void> {
  await withAuth((auth) => auth.signOut())
  forgetRecent()
  window.location.assign("/sign-in")
}
