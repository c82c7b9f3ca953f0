import type { Html } from "#server/lib/html.ts"
import type { ClaimName } from "#shared/claims.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"
import type { ProofProblem } from "#shared/wallet-proof.ts"

/** What a state is called, and the sentence that is read out when it comes. */
type Announced = { heading: string; news: string }
/** What happened, and what to do now. */
type End = Announced & { happened: (company: string) => Html; next: (company: string) => Html }

/**
 * All that the hosted page says in a language. What has something put in is a function of it, so that each language has
 * its own order of words. `{time}` is a duration in words, which the page's script puts in.
 */
export type Texts = {
  steps: { label: string; consent: string; wallet: string; check: string; result: string; done: string }
  testMode: string
  language: string
  questions: (contact: Html) => Html
  poweredBy: (vouch: Html) => Html
  needsScript: string
  reload: string

  /** Names of facts. */
  facts: Record<
    | "wallet"
    | "check"
    | "facts"
    | "checkedBy"
    | "validFor"
    | "requestedBy"
    | "validUntil"
    | "transaction"
    | "network"
    | "reason",
    string
  >
  /** A schema that every workspace has, by its id; those of a company are called what it calls them. */
  schemas: Record<"kyc_individual_v1" | "kyc_business_v1" | "accredited_investor_v1", string>
  claims: Record<ClaimName, string>
  localNetwork: string
  copyWallet: string
  copyTransaction: string
  copied: string
  openUntil: (time: Html) => Html

  open: Announced & {
    asks: (company: Html) => Html
    submitAgain: string
    stored: {
      heading: string
      kept: Said
      /** Here: what a provider keeps is its own affair, and said of itself. */
      never: Said
      onChain: Said
      provider: { what: (provider: string) => Html; text: string }
    }
    consent: { label: string; text: (company: string) => Html; missing: string }
    /** Where the wallet's step follows. */
    agree: string
    away: (provider: string) => Html
    goOn: (provider: string) => Html
  }
  /** Proof of the wallet. `{wallet}` is the name of a wallet, which the page's script puts in. */
  wallet: {
    heading: string
    /** What is asked, and that it is harmless. */
    text: string
    /** Above the address. */
    signWith: string
    /** Above several wallets. */
    choose: string
    sign: string
    /** While the wallet asks its owner. */
    approve: string
    /** Where a browser has no wallet: above links into the apps of a phone, such a link, and what to do on a desktop. */
    phone: string
    openIn: string
    desktop: string
    /** What the code on a desktop is, for whoever does not see it. */
    code: string
    /** After one way to sign failed: the next one. The last one is a transaction that is never sent, explained first. */
    otherWay: string
    unsent: string
    signUnsent: string
    failures: Record<ProofProblem | "declined" | "otherAccount" | "cannot" | "other", string>
    /** Of a smart wallet, which has no key: it sends a memo on chain. */
    onChain: Record<
      | "text"
      | "wallet"
      | "memo"
      | "copy"
      | "transaction"
      | "missing"
      | "check"
      /** The memo could not be fetched, or the transaction not looked up. */
      | "notAsked"
      | "notChecked",
      string
    >
  }
  form: {
    heading: string
    country: string
    chooseCountry: string
    countryMissing: string
    over18: string
    accredited: string
    /** Who has checked, where the sandbox did. */
    sandboxName: string
    sandbox: string
    sandboxText: string
    outcome: string
    outcomes: Record<Decision, string>
    submit: string
  }
  failures: {
    refused: string
    notSent: string
    notSentOn: string
    /** The address is a token account or a mint. */
    notAWallet: string
    providerUnavailable: (provider: string) => Html
    providerMissing: (provider: string) => Html
  }

  handedOver: Announced & { finished: (provider: string) => Html; unfinished: string }
  checking: { heading: string; news: string; text: string; reviewNews: string; reviewText: string }
  lost: string
  verified: Announced & { text: (company: string) => Html; explorer: string }
  whatYouCanDo: string
  rejected: End
  cancelled: End
  revoked: End
  expired: End
  closed: End
  superseded: End
  unknown: { heading: string; text: string; next: string }
  failed: { heading: string; text: string; retry: string }

  back: { link: (host: string) => Html; announced: (host: string) => Html; counting: string; stay: string }
  reasons: Record<PublicReason, { why: string; next: string }>

  /** Of a link that was mailed before a verification expires. */
  renewal: {
    heading: string
    text: (company: string) => Html
    over: (company: string) => Html
    start: string
    notStarted: (company: string) => Html
    stop: string
    stopped: string
    notStopped: string
  }
  remind: {
    heading: string
    text: string
    label: string
    missing: string
    submit: string
    done: string
    notSent: string
  }
}

/** A sentence of which the first words stand out. */
type Said = { what: string; text: string }
