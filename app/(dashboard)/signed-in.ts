import { cookies } from "next/headers.js"

/** Whether the browser has a session cookie. The server checks it on the first call. */
export async function carriesSession(): Promise<boolean> {
  const names = (await cookies()).getAll().map(({ name }) => name)
  return names.some((name) => /^(?:__Secure-)?vouch\.session_token$/.test(name))
}
