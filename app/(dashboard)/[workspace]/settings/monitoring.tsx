import { type RouterOutputs, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Form, SelectField, Submit } from "#app/components/form.tsx"
import { Card, Facts, Loaded } from "#app/components/frame.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { type ChosenPolicies, type Policies, policies, policyNames } from "#shared/monitoring.ts"

export const Monitoring = () => (
  <Loaded query={useQuery("monitoring.get", {})} what="monitoring" lines={8}>
    {(data) => (
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <PolicyCard chosen={data.policies} />
        <ListsCard {...data} />
      </div>
    )}
  </Loaded>
)

function PolicyCard({ chosen }: { chosen: Policies }) {
  const { can } = useWorkspace()
  const change = useMutation((api, next: ChosenPolicies) => api.monitoring.change.mutate(next))
  return (
    <Card
      title="When something is found"
      description="What Vouch does automatically. Your team decides the rest under Reviews."
    >
      {can("review:write") ? (
        <Form
          onSubmit={async (values) => {
            const next = Object.fromEntries(policyNames.map((name) => [name, String(values.get(name))]))
            await change.mutateAsync(next as ChosenPolicies)
            notify("Monitoring saved")
          }}
        >
          {policyNames.map((name) => (
            <SelectField
              name={name}
              label={policies[name].label}
              hint={policies[name].hint}
              key={`${name} ${chosen[name]}`}
              defaultValue={chosen[name]}
              options={Object.entries(policies[name].choices)}
            />
          ))}
          <Submit variant="outline">Save monitoring</Submit>
        </Form>
      ) : (
        <Facts
          facts={Object.fromEntries(
            policyNames.map((name) => {
              const choices: Record<string, string> = policies[name].choices
              return [policies[name].label, choices[chosen[name]]]
            }),
          )}
        />
      )}
    </Card>
  )
}

const ListsCard = ({ lists, removed, listed, cleared }: RouterOutputs["monitoring"]["get"]) => (
  <Card
    title="Screening lists"
    description="Wallets on these lists are refused. The server’s administrator sets them for every workspace."
  >
    {lists.length === 0 ? (
      <p className="text-muted">No list is configured: wallets are not screened.</p>
    ) : (
      <div className="space-y-5">
        {lists.map((list) => (
          <div key={list.name}>
            <h3 className="mb-1 font-medium">{list.name}</h3>
            <Facts
              facts={{
                Addresses: list.entries.toLocaleString("en"),
                Loaded: <Timestamp at={list.loaded_at} />,
                "SHA-256": <Copyable value={list.digest} what={`the digest of ${list.name}`} compact />,
                "Your wallets": list.compared_at ? (
                  <>
                    Compared <Timestamp at={list.compared_at} />
                  </>
                ) : (
                  "Being compared"
                ),
              }}
            />
            {list.problem && <p className="mt-2 text-danger">The file is not used, because it {list.problem}.</p>}
          </div>
        ))}
        <Facts facts={{ "Your wallets on a list": listed, "Cleared as a false match": cleared }} />
      </div>
    )}
    {removed.map(({ name, waiting, frozen }) => (
      <div key={name} className="mt-5 border-t border-line pt-4">
        <h3 className="mb-1 font-medium">{name}</h3>
        <p className="mb-1 text-notice">No longer in use: it refuses no wallets.</p>
        <Facts facts={{ "Waiting under Reviews": waiting, "Still frozen": frozen }} />
      </div>
    ))}
  </Card>
)
