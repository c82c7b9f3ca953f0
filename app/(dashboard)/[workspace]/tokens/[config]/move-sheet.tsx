"use client"

import { useState } from "react"
import { Button } from "../../../../components/ui/button.tsx"
import { Sheet, SheetContent, SheetTrigger } from "../../../../components/ui/sheet.tsx"
import type { Operation, TokenView } from "../answers.ts"
import { MoveForm, type MoveKind } from "./move-form.tsx"
import { Sent } from "./sent.tsx"

const words = {
  mint: {
    verb: "Mint",
    describe: "Makes new tokens in a verified wallet. Every rule is asked before anything is sent.",
  },
  transfer: {
    verb: "Transfer",
    describe: "Moves tokens between two verified wallets. Every rule is asked before anything is sent.",
  },
} as const

/** Mints or transfers: the form with its verdict, and then how what was sent goes on. */
export function MoveSheet({ token, kind }: { token: TokenView; kind: MoveKind }) {
  const [isOpen, setOpen] = useState(false)
  const [sent, setSent] = useState<Operation | null>(null)
  const { verb, describe } = words[kind]
  return (
    <Sheet
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open)
        if (open) setSent(null)
      }}
    >
      <SheetTrigger>
        <Button variant={kind === "mint" ? "primary" : "outline"}>{verb}</Button>
      </SheetTrigger>
      <SheetContent title={`${verb} ${token.symbol}`} description={describe}>
        {sent ? (
          <Sent token={token} operation={sent} onAgain={() => setSent(null)} />
        ) : (
          <MoveForm token={token} kind={kind} onSent={setSent} />
        )}
      </SheetContent>
    </Sheet>
  )
}
