"use client"

import { usePathname } from "next/navigation.js"
import { useState } from "react"
import { Icon } from "#app/components/icons.tsx"
import { Link } from "#app/components/link.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogTrigger, SheetContent } from "#app/components/ui/dialog.tsx"
import { sections } from "./sections.ts"

/** The section of the page that is shown, wherever in it one is. */
export const useSection = (): string => usePathname().split("/")[2] ?? ""

/** The links to the sections of a workspace. */
export function Navigation({ workspaceId, onGo = () => {} }: { workspaceId: string; onGo?: () => void }) {
  const here = useSection()
  return (
    <nav aria-label="Main">
      <ul className="space-y-0.5">
        {Object.entries(sections).map(([path, { name, icon: Picture }]) => (
          <li key={path}>
            <Link
              href={`/${workspaceId}/${path}`}
              prefetch={false}
              onClick={onGo}
              {...(path === here && { "aria-current": "page" as const })}
              className="flex h-8 items-center gap-2.5 rounded-md px-2.5 text-sm text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent pointer-coarse:h-11"
            >
              <Picture className="size-4 shrink-0" aria-hidden="true" />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The links to the sections, where there is no room for them beside the page. */
export function NavigationMenu({ workspaceId }: { workspaceId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog open={isOpen} onOpenChange={setOpen}>
      <DialogTrigger>
        <Button variant="ghost" size="icon" aria-label="Menu" className="-ml-2 lg:hidden">
          <Icon name="menu" />
        </Button>
      </DialogTrigger>
      <SheetContent side="left" title="Menu" className="w-72!">
        <Navigation workspaceId={workspaceId} onGo={() => setOpen(false)} />
      </SheetContent>
    </Dialog>
  )
}
