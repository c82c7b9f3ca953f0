"use client"

import { useState } from "react"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Sheet, SheetContent, SheetTrigger } from "#app/components/ui/sheet.tsx"
import { Navigation } from "./navigation.tsx"

/** The links to the sections, where there is no room for them beside the page. */
export function NavigationMenu({ workspaceId }: { workspaceId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Sheet open={isOpen} onOpenChange={setOpen}>
      <SheetTrigger>
        <Button variant="ghost" size="icon" aria-label="Menu" className="-ml-2 lg:hidden">
          <Icon name="menu" />
        </Button>
      </SheetTrigger>
      <SheetContent side="left" title="Menu" className="w-72">
        <Navigation workspaceId={workspaceId} onGo={() => setOpen(false)} />
      </SheetContent>
    </Sheet>
  )
}
