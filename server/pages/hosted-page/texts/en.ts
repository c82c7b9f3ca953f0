import { html } from "#server/lib/html.ts"
import type { Texts } from "./texts.ts"

export const en: Texts = {
  steps: {
    label: "Steps",
    consent: "Confirm",
    wallet: "Wallet",
    check: "Check",
    result: "Result",
    done: "done",
  },
  testMode: "Test mode",
  language: "Language",
  questions: (contact) => html`Questions? ${contact}`,
  poweredBy: (vouch) => html`Verification by ${vouch}`,
  needsScript: "To continue, this page needs JavaScript. Turn it on and reload the page.",
  reload: "Reload this page to see the latest status.",

  facts: {
    wallet: "Wallet",
    check: "Check",
    facts: "You confirm",
    checkedBy: "Checked by",
    validFor: "Valid for",
    requestedBy: "Requested by",
    validUntil: "Valid until",
    transaction: "Transaction",
    network: "Network",
    reason: "Reason",
  },
  schemas: {
    kyc_individual_v1: "Individual identity",
    kyc_business_v1: "Business identity",
    accredited_investor_v1: "Accredited investor",
  },
  claims: { country: "country", age_over_18: "age over 18", accredited: "investor status" },
  localNetwork: "Local test network",
  copyWallet: "copy wallet address",
  copyTransaction: "copy transaction signature",
  copied: "Copied",
  openUntil: (time) => html`Complete this by ${time}`,

  open: {
    heading: "Verify your identity",
    news: "Another submission is needed.",
    asks: (company) => html`${company} asks you to confirm a few facts about yourself as the holder of this wallet.`,
    submitAgain: "Please submit again.",
    stored: {
      heading: "What is stored",
      kept: {
        what: "Stored, encrypted:",
        text: "your country, whether you are over 18, and accredited.",
      },
      never: { what: "Never stored by Vouch:", text: "documents, images, name, date of birth." },
      onChain: {
        what: "On Solana:",
        text: "a credential with a fingerprint and an expiry date, nothing personal.",
      },
      provider: {
        what: (provider) => html`At ${provider}:`,
        text: "what you submit there, under its own privacy policy.",
      },
    },
    consent: {
      label: "I agree",
      text: (company) =>
        html`to these facts being checked and stored as described above, and to ${company} receiving the result.`,
      missing: "Agree to continue.",
    },
    agree: "Continue",
    away: (provider) => html`You will continue on ${provider}’s page. The result will then appear on this page.`,
    goOn: (provider) => html`Continue to ${provider}`,
  },
  wallet: {
    heading: "Prove that this wallet is yours",
    text: "Your wallet signs a short message. This costs nothing and moves no tokens.",
    signWith: "Sign with this wallet",
    choose: "Choose the wallet to sign with:",
    sign: "Sign with {wallet}",
    approve: "Approve the request in {wallet}.",
    phone: "This browser has no Solana wallet. Open this page in your wallet app and sign there:",
    openIn: "Open in {wallet}",
    desktop:
      "This browser has no Solana wallet. Install your wallet’s extension and reload this page, or scan this code with the phone that has your wallet.",
    code: "QR code with the address of this page",
    otherWay: "Sign in another way with {wallet}",
    unsent:
      "Some hardware wallets cannot sign messages. Instead, {wallet} can sign a transaction that contains the same text. It is never sent, so it costs nothing and moves nothing. {wallet} may warn that it would fail, and a hardware wallet may require blind signing.",
    signUnsent: "Sign with {wallet} without sending",
    failures: {
      declined: "{wallet} did not sign. Open it, choose the account above, and try again.",
      otherAccount: "{wallet} has a different account open. Switch to the account above and try again.",
      other: "The signature was not sent. Check your connection and try again.",
      session: "This page is out of date. Reload it and try again.",
      request: "This request was already used, or a newer one replaced it. Try again.",
      domain: "The wallet signed for a different site. Open the original link and try again.",
      wallet: "A different account signed the message. Switch to the account above and try again.",
      early: "The request is not valid yet. Try again in a moment.",
      late: "The request has expired. Try again.",
      message: "The wallet changed the message, so it proves nothing. Try another wallet app.",
      signature: "The signature is not from the account above. Switch to that account and try again.",
      cannot: "{wallet} could not sign the message with this account.",
      transaction: "The transaction was not found, or it failed. Wait until it is confirmed, then check again.",
      memo: "This transaction has no memo with exactly this text, signed by the wallet. Check the text and the signer, then try again.",
    },
    onChain: {
      text: "This wallet is controlled by a program, such as a Squads vault, so it signs on chain: its members send one transaction with a memo. The transaction moves no tokens and costs a network fee.",
      wallet: "Wallet that signs",
      memo: "Send exactly this text as a memo, with the wallet as the memo’s signer. The text will be public:",
      copy: "copy memo text",
      transaction: "Signature of the executed transaction",
      missing: "Enter the transaction signature: 87 or 88 characters.",
      check: "Check transaction",
      notAsked: "The memo text could not be loaded. Reload this page.",
      notChecked: "The transaction could not be checked. Try again in a moment.",
    },
  },
  form: {
    heading: "Your answers",
    country: "Country",
    chooseCountry: "Choose a country",
    countryMissing: "Choose your country.",
    over18: "I am over 18",
    accredited: "Accredited investor",
    sandboxName: "Built-in sandbox",
    sandbox: "This is a sandbox",
    sandboxText: "No documents are checked here. You choose the result.",
    outcome: "Outcome",
    outcomes: {
      approved: "Approved",
      rejected: "Rejected",
      resubmission_requested: "Resubmission requested",
      in_review: "In review",
      expired: "Expired",
    },
    submit: "Submit verification",
  },
  failures: {
    refused: "Your answers were not accepted. Check them and submit them again.",
    notSent: "Your answers were not sent. They are still here. Check your connection and submit them again.",
    notSentOn: "The next step did not open. Check your connection and try again.",
    notAWallet:
      "This address belongs to a token, not to a wallet. Ask the company for a link for your wallet’s own address.",
    providerUnavailable: (provider) =>
      `${provider} is not responding right now. Nothing is lost. Try again in a moment.`,
    providerMissing: (provider) =>
      `${provider} is not connected at the moment. Try again later, or ask the company that sent you the link.`,
  },

  handedOver: {
    heading: "Waiting for the result",
    news: "The result will appear here.",
    finished: (provider) =>
      html`Finished at ${provider}? The result appears here automatically. You can close this page and open the same link later.`,
    unfinished: "Not finished yet? Continue where you left off.",
  },
  checking: {
    heading: "Your verification is being checked",
    news: "The result will appear here.",
    text: "The result appears here automatically. You can close this page and open the same link later to see it.",
    reviewNews: "A reviewer is checking it. You can close this page.",
    reviewText: "A reviewer is checking it. You can close this page and open the same link later to see the result.",
  },
  lost: "Connection lost. Trying again.",
  verified: {
    heading: "Your wallet is verified",
    news: "Done.",
    text: (company) => html`${company} can now rely on this verification. You can close this page.`,
    explorer: "View the transaction in Solana Explorer",
  },
  whatYouCanDo: "What you can do",
  rejected: {
    heading: "Verification rejected",
    news: "It was not accepted.",
    happened: () => html`Your submission was checked and rejected.`,
    next: (company) =>
      html`Contact ${company} if you think this is a mistake, or ask them for a new link to start again.`,
  },
  cancelled: {
    heading: "Verification cancelled",
    news: "It is closed.",
    happened: (company) => html`${company} ended this verification before it was decided.`,
    next: (company) =>
      html`Contact ${company} if you think this is a mistake, or ask them for a new link to start again.`,
  },
  revoked: {
    heading: "Verification revoked",
    news: "It is no longer valid.",
    happened: () => html`This wallet was verified. The verification was revoked and its credential removed.`,
    next: (company) => html`Contact ${company} if you think this is a mistake.`,
  },
  expired: {
    heading: "Your verification has expired",
    news: "It is no longer valid.",
    happened: () => html`This wallet was verified, but the verification has expired.`,
    next: (company) => html`Ask ${company} for a new link if you still need to be verified.`,
  },
  closed: {
    heading: "This verification has expired",
    news: "It is closed.",
    happened: () => html`It ended before you were verified.`,
    next: (company) => html`Ask ${company} for a new link if you still need to be verified.`,
  },
  superseded: {
    heading: "Your verification was renewed",
    news: "A newer one replaced it.",
    happened: () => html`This wallet was verified again. The newer verification replaces this one.`,
    next: () => html`You can close this page.`,
  },
  unknown: {
    heading: "Verification not found",
    text: "There is no verification at this address.",
    next: "Check that you opened the full link, or ask the company that sent it for a new one.",
  },
  failed: {
    heading: "This page could not be loaded",
    text: "The service is unavailable right now. This page keeps trying.",
    retry: "Try again",
  },

  back: {
    link: (host) => html`Return to ${host}`,
    announced: (host) => `You will return to ${host} in {time} unless you stay.`,
    counting: "Returning in {time}",
    stay: "Stay here",
  },
  reasons: {
    documents_unreadable: {
      why: "A document could not be read.",
      next: "Use a clear, complete photo of a document that is still valid.",
    },
    information_mismatch: {
      why: "Your details did not match.",
      next: "Enter your details exactly as they appear on your document.",
    },
    not_eligible: {
      why: "You do not meet the requirements of this verification.",
      next: "Ask the company that requested it what the requirements are.",
    },
    withdrawn: {
      why: "The verification was withdrawn.",
      next: "Ask the company that requested it for details.",
    },
    resubmit: {
      why: "Your last submission was not enough for a decision.",
      next: "Check your answers and submit them again.",
    },
    unverifiable: {
      why: "Your information could not be verified.",
      next: "Ask the company that requested it what to do.",
    },
  },

  renewal: {
    heading: "Renew your verification",
    text: (company) =>
      html`Your verification for ${company} ends soon. Renew it to stay verified. The current one stays valid until then.`,
    over: (company) => html`Your verification for ${company} has expired. Renew it to be verified again.`,
    start: "Renew now",
    notStarted: (company) => `The renewal could not be started. Try again later, or ask ${company}.`,
    stop: "Turn off reminders",
    stopped: "Reminders are off.",
    notStopped: "Reminders could not be turned off. Check your connection and try again.",
  },
  remind: {
    heading: "Remind me before this expires",
    text: "You will get an email with a link to renew. Your address is stored encrypted, used for nothing else, and deleted when the verification ends.",
    label: "Email address",
    missing: "Enter an email address, such as name@example.com.",
    submit: "Remind me",
    done: "You will get an email before this expires.",
    notSent: "Your address was not saved. Check your connection and try again.",
  },
}
