import { To } from "#app/(dashboard)/workspace.tsx"
import { grouped } from "#shared/amount.ts"

type HeldNoteProps = { of: { mint_config: string; wallet: string }; held: string; available: string }

/** How much of a balance holds keep from moving, with a link to them. Nothing if they hold nothing. */
export const HeldNote = ({ of: { mint_config, wallet }, held, available }: HeldNoteProps) =>
  held === "0" ? null : (
    <span className="block text-xs text-muted">
      <To path={["tokens", mint_config]} query={`?tab=holds&q=${wallet}`}>
        {grouped(held)} held
      </To>
      <span className="block">{grouped(available)} available</span>
    </span>
  )
