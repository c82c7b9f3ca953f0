import type { Hold } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Timestamp } from "#app/components/timestamp.tsx"
import { reasonNames } from "#shared/movements.ts"

/** Why tokens are held, and until when. */
export const HoldReason = ({ hold: { reason_code, reference, expires_at } }: { hold: Hold }) => (
  <span className="wrap-anywhere">
    {reasonNames[reason_code]} ({reference}){" "}
    {expires_at && (
      <>
        until <Timestamp at={expires_at} />
      </>
    )}
  </span>
)
