import { Customers } from "./customers.ts"
import { Issuer } from "./issuer.ts"
import { allVerified, prove } from "./proof.ts"
import type { Scenario } from "./run-scenario.ts"
import { proveTokens } from "./token-proof.ts"
import { Trading } from "./trading.ts"
import { proveTrading } from "./trading-proof.ts"

/** Few enough that several mints go to one wallet at once, and several wallets have one at once. */
const HOLDERS = 24

/** As many customers as there is work: each is verified. */
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

/** An issuer who mints so many times, all amounts distinct, to customers who are verified before the first hit. */
export const minting: Scenario = async (deployment, client, total) => {
  const customers = new Customers({ client, webhookSecret: deployment.webhookSecret, total: HOLDERS })
  await customers.runAll()
  await allVerified(customers)
  const wallets = customers.cases.map((one) => one.wallet)
  const issuer = new Issuer({ client, wallets, total })
  return {
    get done() {
      return issuer.done
    },
    release: (upTo) => issuer.release(upTo),
    run: () => issuer.run(),
    settle: () => issuer.settle(),
    prove: () => proveTokens(deployment, { client, wallets, orders: issuer.orders }),
    achievements: () => ({
      mints: total,
      transfers: issuer.orders.length - total,
      wallets: wallets.length,
      "answers that were to be followed": issuer.followed,
    }),
  }
}

/** Tokens in both modes, revocations, verifications and mode changes at once; each piece of work is one of them. */
export const trading: Scenario = async (deployment, client, total, losses) => {
  const all = new Trading({ deployment, client, total, losses })
  await all.begin()
  return {
    get done() {
      return all.done
    },
    release: (upTo) => all.release(upTo),
    run: () => all.run(),
    settle: () => all.settle(),
    prove: () => proveTrading(deployment, { client, trading: all, losses }),
    achievements: () => ({
      "mints and transfers": all.orders.length,
      approvals: all.approvals.length,
      revocations: all.revocations.length,
      "changes of mode": all.switches,
      ...Object.fromEntries(all.refusals),
    }),
  }
}
