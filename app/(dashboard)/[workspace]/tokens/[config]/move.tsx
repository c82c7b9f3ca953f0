"use client"

import { useState } from "react"
import type { Operation, TokenView } from "#app/(dashboard)/[workspace]/tokens/answers.ts"
import { MoveForm, type MoveKind } from "./move-form.tsx"
import { Sent } from "./sent.tsx"

/** The form, and once it is sent, what became of it. */
export default function Move({ token, kind }: { token: TokenView; kind: MoveKind }) {
  const [sent, setSent] = useState<Operation | null>(null)
  return sent ? (
    <Sent token={token} operation={sent} onAgain={() => setSent(null)} />
  ) : (
    <MoveForm token={token} kind={kind} onSent={setSent} />
  )
}
