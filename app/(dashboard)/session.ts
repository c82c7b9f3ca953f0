/** Leaves for the sign-in, which comes back here. Everything that was loaded for the person who left is forgotten. */
export function goToSignIn(): void {
  const { pathname, search } = window.location
  window.location.replace(`/sign-in?next=${encodeURIComponent(pathname + search)}`)
}

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  const { auth } = await import("#app/(access)/auth.ts")
  await auth.signOut()
  window.location.assign("/sign-in")
}
