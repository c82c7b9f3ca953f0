import { cookies } from "next/headers.js"

/** Whether the browser carries a session at all. Whether it is one of ours, the server says to the first call. */
export async function carriesSession(): Promise<boolean> {
  const names = (await cookies()).getAll().map(({ name }) => name)
  return names.some((name) => /^(?:__Secure-)?vouch\.session_token$/.test(name))
}
