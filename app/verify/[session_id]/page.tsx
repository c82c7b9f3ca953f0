import type { Metadata } from "next"
import { Verification } from "./verification.tsx"

export const metadata: Metadata = {
  robots: { index: false, follow: false, nocache: true },
}

/** The hosted page. The id in its address is the wallet holder's only key, so it goes from here into bodies alone. */
export default async function Page({ params }: { params: Promise<{ session_id: string }> }) {
  const { session_id } = await params
  return <Verification sessionId={session_id} />
}
