import type { Html } from "#server/lib/html.ts"
import type { ClaimName } from "#shared/claims.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"
import type { ProofProblem } from "#shared/wallet-proof.ts"

/** A state's heading, and the sentence that screen readers announce when it begins. */
type Announced = { heading: string; news: string }
/** What happened, and what to do now. */
type End = Announced & { happened: (company: Html) => Html; next: (company: Html) => Html }

/**
 * All texts of the hosted page in one language. A text with a value is a function, so that each language has its own
 * word order. It returns a string if the page's script shows it. The script replaces `{time}` with a duration, such as
 * "8 seconds".
 */
export type Texts = {
  steps: { label: string; consent: string; wallet: string; check: string; result: string; done: string }
  testMode: string
  language: string
  questions: (contact: Html) => Html
  poweredBy: (vouch: Html) => Html
  needsScript: string
  reload: string

  /** Labels of facts. */
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
  /** Names of the built-in schemas, by id. Other schemas have the company's names. */
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
      kept: LeadText
      /** Applies to Vouch alone: a provider may keep more, which `provider` says. */
      never: LeadText
      onChain: LeadText
      provider: { what: (provider: Html) => Html; text: string }
    }
    consent: { label: string; text: (company: Html) => Html; missing: string }
    /** Shown if the wallet step follows. */
    agree: string
    away: (provider: Html) => Html
    goOn: (provider: Html) => Html
  }
  /** Proof of the wallet. The page's script replaces `{wallet}` with the wallet's name. */
  wallet: {
    heading: string
    /** What the wallet does, and that it is harmless. */
    text: string
    /** Above the address. */
    signWith: string
    /** Above several wallets. */
    choose: string
    sign: string
    /** While the wallet asks its owner. */
    approve: string
    /**
     * If the browser has no wallet: the text above the links to wallet apps on a phone, such a link, and what to do on
     * a desktop.
     */
    phone: string
    openIn: string
    desktop: string
    /** Describes the QR code to screen readers. */
    code: string
    /** The next way to sign, after one failed. The last way, a transaction that is never sent, has an explanation. */
    otherWay: string
    unsent: string
    signUnsent: string
    failures: Record<ProofProblem | "declined" | "otherAccount" | "cannot" | "other", string>
    /** For a smart wallet, which has no key and sends a memo on chain. */
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
    /** The provider's name if the sandbox checks. */
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
    providerUnavailable: (provider: string) => string
    providerMissing: (provider: string) => string
  }

  handedOver: Announced & { finished: (provider: Html) => Html; unfinished: string }
  checking: { heading: string; news: string; text: string; reviewNews: string; reviewText: string }
  lost: string
  verified: Announced & { text: (company: Html) => Html; explorer: string }
  whatYouCanDo: string
  rejected: End
  cancelled: End
  revoked: End
  /** The wallet was verified, and its verification has expired. */
  expired: End
  /** The verification expired before the wallet was verified. */
  closed: End
  superseded: End
  unknown: { heading: string; text: string; next: string }
  failed: { heading: string; text: string; retry: string }

  back: { link: (host: Html) => Html; announced: (host: string) => string; counting: string; stay: string }
  reasons: Record<PublicReason, { why: string; next: string }>

  /** The page behind a reminder's link. */
  renewal: {
    heading: string
    text: (company: Html) => Html
    over: (company: Html) => Html
    start: string
    notStarted: (company: string) => string
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

/** A sentence whose first words are bold. */
type LeadText = { what: string; text: string }
