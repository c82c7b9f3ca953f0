import { Customers } from "./customers.ts"
import { Issuer } from "./issuer.ts"
import { allVerified, prove } from "./proof.ts"
import type { Scenario, Workload } from "./run-scenario.ts"
import { Servicing } from "./servicing.ts"
import { proveServicing } from "./servicing-proof.ts"
import { proveTokens } from "./token-proof.ts"
import { Trading } from "./trading.ts"
import { proveTrading } from "./trading-proof.ts"

/** Few enough that several mints go to one wallet at once, for several wallets. */
const HOLDERS = 24

/** What an issuer's work is, with its proof. */
const workload = (
  work: Pick<Workload, "done" | "release" | "run" | "settle">,
  proof: Pick<Workload, "prove" | "achievements">,
): Workload => ({
  get done() {
    return work.done
  },
  release: (upTo) => work.release(upTo),
  run: () => work.run(),
  settle: () => work.settle(),
  ...proof,
})

/** One customer to verify for each piece of work. */
export const attesting: Scenario = async (deployment, client, total) => {
  const customers = new Customers({ client, webhookSecret: deployment.webhookSecret, total })
  return {
    get done() {
      return customers.approved
    },
    release: (upTo) => customers.release(upTo),
    run: () => customers.run(),
    settle: () => allVerified(customers),
    prove: () => prove(deployment, customers),
    achievements: () => ({ attestations: total }),
  }
}

/** An issuer who mints different amounts to customers verified before the first fault. */
export const minting: Scenario = async (deployment, client, total) => {
  const customers = new Customers({ client, webhookSecret: deployment.webhookSecret, total: HOLDERS })
  await customers.runAll()
  await allVerified(customers)
  const wallets = customers.cases.map((one) => one.wallet)
  const issuer = new Issuer({ client, wallets, total })
  return workload(issuer, {
    prove: () => proveTokens(deployment, { client, wallets, orders: issuer.orders }),
    achievements: () => ({
      mints: total,
      transfers: issuer.orders.length - total,
      wallets: wallets.length,
      "orders that were polled": issuer.followed,
    }),
  })
}

/** Each piece of work is a mint, transfer, revocation, verification or mode change, with tokens in both modes. */
export const trading: Scenario = async (deployment, client, total, losses) => {
  const all = new Trading({ deployment, client, total, losses })
  await all.begin()
  return workload(all, {
    prove: () => proveTrading(deployment, { client, trading: all, losses }),
    achievements: () => ({
      "mints and transfers": all.orders.length,
      approvals: all.approvals.length,
      revocations: all.revocations.length,
      "changes of mode": all.switches,
      ...Object.fromEntries(all.refusals),
    }),
  })
}

/** Each piece of work is an act of a transfer agent on the tokens of up to fifty wallets, in both modes. */
export const servicing: Scenario = async (deployment, client, total, losses) => {
  const customers = new Customers({
    client,
    webhookSecret: deployment.webhookSecret,
    total: Math.min(50, Math.ceil(total / 10)),
  })
  await customers.runAll()
  await allVerified(customers)
  const wallets = customers.cases.map(({ wallet }) => wallet)
  const all = new Servicing({ deployment, client, wallets, total, losses })
  await all.begin()
  return workload(all, {
    prove: () => proveServicing(deployment, { client, servicing: all, losses }),
    achievements: () => ({
      ...Object.fromEntries(all.acts),
      holds: all.holds.length,
      ...Object.fromEntries(all.refusals),
    }),
  })
}
