import { Passkeys } from "#app/(dashboard)/[workspace]/settings/passkeys.tsx"
import { TwoFactor } from "#app/(dashboard)/[workspace]/settings/two-factor.tsx"
import { Card, PageHeader } from "#app/components/frame.tsx"
import { notifyProblem } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import type { Me } from "#domain/people"
import { signOut } from "./session.ts"

type Demand = { user: Me["user"]; account: string; demands: "second_factor" | "sign_in" }

/** Replaces every page while the account requires a second factor that this session lacks. */
export function SecondFactorFirst({ user, account, demands }: Demand) {
  if (demands === "sign_in") {
    return (
      <>
        <PageHeader
          title="Sign in with your second factor"
          description={`${account} requires a second factor. You signed in with your password only.`}
        />
        <Card>
          <p className="mb-4">Sign in again with your passkey, or with your password and a code.</p>
          <Button variant="primary" onClick={() => void signOut().catch(notifyProblem)}>
            Sign out
          </Button>
        </Card>
      </>
    )
  }
  return (
    <>
      <PageHeader
        title="Set up a second factor"
        description={`${account} requires one. Add a passkey or an authenticator app to continue.`}
      />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Passkeys />
        <TwoFactor isOn={user.two_factor} />
      </div>
    </>
  )
}
