import { html } from "#server/lib/html.ts"
import type { Texts } from "./texts.ts"

export const de: Texts = {
  steps: {
    label: "Schritte",
    consent: "Bestätigen",
    wallet: "Wallet",
    check: "Prüfung",
    result: "Ergebnis",
    done: "erledigt",
  },
  testMode: "Testmodus",
  language: "Sprache",
  questions: (contact) => html`Fragen? ${contact}`,
  poweredBy: (vouch) => html`Verifizierung durch ${vouch}`,
  needsScript: "Um fortzufahren, benötigt diese Seite JavaScript. Schalten Sie es ein und laden Sie die Seite neu.",
  reload: "Laden Sie diese Seite neu, um den aktuellen Stand zu sehen.",

  facts: {
    wallet: "Wallet",
    check: "Prüfung",
    facts: "Angaben",
    checkedBy: "Geprüft von",
    validFor: "Gültigkeit",
    requestedBy: "Angefordert von",
    validUntil: "Gültig bis",
    transaction: "Transaktion",
    network: "Netzwerk",
    reason: "Grund",
  },
  schemas: {
    kyc_individual_v1: "Identität (Privatperson)",
    kyc_business_v1: "Identität (Unternehmen)",
    accredited_investor_v1: "Akkreditierter Anleger",
  },
  claims: { country: "Land", age_over_18: "Volljährigkeit", accredited: "Anlegerstatus" },
  localNetwork: "Lokales Testnetz",
  copyWallet: "Wallet-Adresse kopieren",
  copyTransaction: "Transaktionssignatur kopieren",
  copied: "Kopiert",
  openUntil: (time) => html`Offen bis ${time}`,

  open: {
    heading: "Bestätigen Sie Ihre Identität",
    news: "Eine erneute Einreichung ist erforderlich.",
    asks: (company) =>
      html`${company} bittet Sie, als Inhaber dieser Wallet einige Angaben zu Ihrer Person zu bestätigen.`,
    submitAgain: "Bitte reichen Sie Ihre Angaben erneut ein.",
    stored: {
      heading: "Was gespeichert wird",
      kept: {
        what: "Verschlüsselt gespeichert:",
        text: "Land, Volljährigkeit, Anlegerstatus.",
      },
      never: { what: "Von Vouch nie gespeichert:", text: "Dokumente, Bilder, Name, Geburtsdatum." },
      onChain: {
        what: "Auf Solana:",
        text: "ein Nachweis mit Prüfsumme und Ablaufdatum, keine persönlichen Daten.",
      },
      provider: {
        what: (provider) => html`Bei ${provider}:`,
        text: "was Sie dort einreichen, nach der Datenschutzerklärung dieses Anbieters.",
      },
    },
    consent: {
      label: "Ich stimme zu,",
      text: (company) =>
        html`dass diese Angaben wie oben beschrieben geprüft und gespeichert werden und dass ${company} das Ergebnis erfährt.`,
      missing: "Stimmen Sie zu, um fortzufahren.",
    },
    agree: "Weiter",
    away: (provider) =>
      html`Sie fahren auf der Seite von ${provider} fort. Das Ergebnis erscheint danach auf dieser Seite.`,
    goOn: (provider) => html`Weiter zu ${provider}`,
  },
  wallet: {
    heading: "Weisen Sie nach, dass diese Wallet Ihnen gehört",
    text: "Ihre Wallet signiert eine kurze Nachricht. Das kostet nichts und bewegt keine Token.",
    signWith: "Signieren Sie mit dieser Wallet",
    choose: "Wählen Sie die Wallet, mit der Sie signieren:",
    sign: "Mit {wallet} signieren",
    approve: "Bestätigen Sie die Anfrage in {wallet}.",
    phone: "Dieser Browser hat keine Solana-Wallet. Öffnen Sie diese Seite in Ihrer Wallet-App und signieren Sie dort:",
    openIn: "In {wallet} öffnen",
    desktop:
      "Dieser Browser hat keine Solana-Wallet. Installieren Sie die Erweiterung Ihrer Wallet und laden Sie diese Seite neu, oder scannen Sie diesen Code mit dem Smartphone, auf dem Ihre Wallet ist.",
    code: "QR-Code mit der Adresse dieser Seite",
    otherWay: "Auf andere Weise mit {wallet} signieren",
    unsent:
      "Manche Hardware-Wallets können keine Nachrichten signieren. {wallet} kann stattdessen eine Transaktion mit demselben Text signieren. Sie wird nie gesendet und kostet und bewegt daher nichts. {wallet} warnt vielleicht, dass sie fehlschlagen würde, und eine Hardware-Wallet verlangt vielleicht „Blind Signing“.",
    signUnsent: "Mit {wallet} signieren, ohne zu senden",
    failures: {
      declined:
        "{wallet} hat nicht signiert. Öffnen Sie die Wallet, wählen Sie das Konto oben und versuchen Sie es erneut.",
      otherAccount:
        "In {wallet} ist ein anderes Konto geöffnet. Wechseln Sie zum Konto oben und versuchen Sie es erneut.",
      other: "Die Signatur wurde nicht gesendet. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
      session: "Diese Seite ist nicht mehr aktuell. Laden Sie sie neu und versuchen Sie es erneut.",
      request: "Diese Anfrage wurde bereits verwendet oder durch eine neuere ersetzt. Versuchen Sie es erneut.",
      domain:
        "Die Wallet hat für eine andere Website signiert. Öffnen Sie den ursprünglichen Link und versuchen Sie es erneut.",
      wallet: "Ein anderes Konto hat die Nachricht signiert. Wechseln Sie zum Konto oben und versuchen Sie es erneut.",
      early: "Die Anfrage ist noch nicht gültig. Versuchen Sie es gleich noch einmal.",
      late: "Die Anfrage ist abgelaufen. Versuchen Sie es erneut.",
      message:
        "Die Wallet hat die Nachricht verändert, daher beweist sie nichts. Versuchen Sie es mit einer anderen Wallet-App.",
      signature: "Die Signatur stammt nicht vom Konto oben. Wechseln Sie zu diesem Konto und versuchen Sie es erneut.",
      cannot: "{wallet} konnte die Nachricht mit diesem Konto nicht signieren.",
      transaction:
        "Die Transaktion wurde nicht gefunden oder ist fehlgeschlagen. Warten Sie, bis sie bestätigt ist, und prüfen Sie erneut.",
      memo: "Diese Transaktion hat kein Memo mit genau diesem Text, das die Wallet signiert hat. Prüfen Sie Text und Unterzeichner und versuchen Sie es erneut.",
    },
    onChain: {
      text: "Diese Wallet wird von einem Programm kontrolliert, wie ein Squads-Vault. Sie signiert daher auf der Blockchain: Ihre Mitglieder senden eine Transaktion mit einem Memo. Die Transaktion bewegt keine Token und kostet eine Netzwerkgebühr.",
      wallet: "Wallet, die signiert",
      memo: "Senden Sie genau diesen Text als Memo, mit der Wallet als Unterzeichner des Memos. Der Text wird öffentlich sein:",
      copy: "Memo-Text kopieren",
      transaction: "Signatur der ausgeführten Transaktion",
      missing: "Geben Sie die Signatur der Transaktion ein, 87 oder 88 Zeichen.",
      check: "Transaktion prüfen",
      notAsked: "Der Memo-Text konnte nicht geladen werden. Laden Sie diese Seite neu.",
      notChecked: "Die Transaktion konnte nicht geprüft werden. Versuchen Sie es gleich noch einmal.",
    },
  },
  form: {
    heading: "Ihre Angaben",
    country: "Land",
    chooseCountry: "Land auswählen",
    countryMissing: "Wählen Sie Ihr Land aus.",
    over18: "Ich bin mindestens 18 Jahre alt",
    accredited: "Akkreditierter Anleger",
    sandboxName: "Eingebaute Testumgebung",
    sandbox: "Dies ist eine Testumgebung",
    sandboxText: "Hier werden keine Dokumente geprüft. Sie bestimmen das Ergebnis.",
    outcome: "Ergebnis",
    outcomes: {
      approved: "Genehmigt",
      rejected: "Abgelehnt",
      resubmission_requested: "Erneute Einreichung erforderlich",
      in_review: "In Prüfung",
      expired: "Abgelaufen",
    },
    submit: "Angaben einreichen",
  },
  failures: {
    refused: "Ihre Angaben wurden nicht angenommen. Prüfen Sie sie und reichen Sie sie erneut ein.",
    notSent:
      "Ihre Angaben wurden nicht gesendet. Sie sind noch hier: Prüfen Sie Ihre Verbindung und reichen Sie sie erneut ein.",
    notSentOn: "Die Weiterleitung ist fehlgeschlagen. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
    notAWallet:
      "Diese Adresse ist keine Wallet, sondern verwahrt Token für eine. Bitten Sie das Unternehmen um einen Link für die Adresse Ihrer Wallet selbst.",
    providerUnavailable: (provider) =>
      `${provider} antwortet gerade nicht. Nichts ist verloren: Versuchen Sie es gleich noch einmal.`,
    providerMissing: (provider) =>
      `${provider} ist derzeit nicht verbunden. Versuchen Sie es später erneut oder wenden Sie sich an die Stelle, die Ihnen den Link geschickt hat.`,
  },

  handedOver: {
    heading: "Warten auf das Ergebnis",
    news: "Das Ergebnis erscheint hier.",
    finished: (provider) =>
      html`Bei ${provider} fertig? Das Ergebnis erscheint hier automatisch. Sie können diese Seite schließen und den Link später wieder öffnen.`,
    unfinished: "Noch nicht fertig? Fahren Sie dort fort, wo Sie aufgehört haben.",
  },
  checking: {
    heading: "Ihre Verifizierung wird geprüft",
    news: "Das Ergebnis erscheint hier.",
    text: "Das Ergebnis erscheint hier automatisch. Sie können diese Seite schließen und es später über denselben Link ansehen.",
    reviewNews: "Ihr Fall wird persönlich geprüft. Sie können diese Seite schließen.",
    reviewText:
      "Ihr Fall wird persönlich geprüft. Sie können diese Seite schließen und das Ergebnis später über denselben Link ansehen.",
  },
  lost: "Verbindung unterbrochen. Neuer Versuch läuft.",
  verified: {
    heading: "Ihre Wallet ist verifiziert",
    news: "Fertig.",
    text: (company) =>
      html`${company} kann sich ab jetzt auf diese Verifizierung verlassen. Sie können diese Seite schließen.`,
    explorer: "Transaktion im Solana Explorer ansehen",
  },
  whatYouCanDo: "Was Sie tun können",
  rejected: {
    heading: "Verifizierung abgelehnt",
    news: "Sie wurde nicht angenommen.",
    happened: () => html`Was Sie eingereicht haben, wurde geprüft, und die Verifizierung wurde abgelehnt.`,
    next: (company) =>
      html`Wenden Sie sich an ${company}, wenn Sie dies für einen Irrtum halten, oder bitten Sie dort um einen neuen Link.`,
  },
  cancelled: {
    heading: "Verifizierung abgebrochen",
    news: "Sie ist geschlossen.",
    happened: (company) => html`${company} hat diese Verifizierung vor der Entscheidung beendet.`,
    next: (company) =>
      html`Wenden Sie sich an ${company}, wenn Sie dies für einen Irrtum halten, oder bitten Sie dort um einen neuen Link.`,
  },
  revoked: {
    heading: "Verifizierung widerrufen",
    news: "Sie ist nicht mehr gültig.",
    happened: () => html`Diese Wallet war verifiziert. Die Verifizierung wurde widerrufen und ihr Nachweis entfernt.`,
    next: (company) => html`Wenden Sie sich an ${company}, wenn Sie dies für einen Irrtum halten.`,
  },
  expired: {
    heading: "Ihre Verifizierung ist abgelaufen",
    news: "Sie ist nicht mehr gültig.",
    happened: () => html`Diese Wallet war verifiziert, aber die Verifizierung ist abgelaufen.`,
    next: (company) => html`Bitten Sie ${company} um einen neuen Link, wenn Sie weiterhin verifiziert werden müssen.`,
  },
  closed: {
    heading: "Diese Verifizierung ist abgelaufen",
    news: "Sie ist beendet.",
    happened: () => html`Sie endete, bevor Ihre Wallet verifiziert war.`,
    next: (company) => html`Bitten Sie ${company} um einen neuen Link, wenn Sie weiterhin verifiziert werden müssen.`,
  },
  superseded: {
    heading: "Ihre Verifizierung wurde erneuert",
    news: "Eine neuere hat sie ersetzt.",
    happened: () => html`Diese Wallet wurde erneut verifiziert. Es gilt die neuere Verifizierung.`,
    next: () => html`Sie können diese Seite schließen.`,
  },
  unknown: {
    heading: "Verifizierung nicht gefunden",
    text: "Unter dieser Adresse gibt es keine Verifizierung.",
    next: "Prüfen Sie, ob Sie den vollständigen Link geöffnet haben, oder bitten Sie das Unternehmen, das ihn geschickt hat, um einen neuen.",
  },
  failed: {
    heading: "Diese Seite konnte nicht geladen werden",
    text: "Der Dienst ist gerade nicht erreichbar. Diese Seite versucht es weiter.",
    retry: "Erneut versuchen",
  },

  back: {
    link: (host) => html`Zurück zu ${host}`,
    announced: (host) => `Sie kehren in {time} zu ${host} zurück, wenn Sie nicht hier bleiben.`,
    counting: "Weiterleitung in {time}",
    stay: "Hier bleiben",
  },
  reasons: {
    documents_unreadable: {
      why: "Ein Dokument war nicht lesbar.",
      next: "Verwenden Sie ein scharfes, vollständiges Foto eines noch gültigen Dokuments.",
    },
    information_mismatch: {
      why: "Ihre Angaben stimmten nicht überein.",
      next: "Geben Sie Ihre Daten genau so ein, wie sie in Ihrem Dokument stehen.",
    },
    not_eligible: {
      why: "Sie erfüllen die Voraussetzungen dieser Verifizierung nicht.",
      next: "Fragen Sie das Unternehmen, das sie angefordert hat, nach den Voraussetzungen.",
    },
    withdrawn: {
      why: "Die Verifizierung wurde zurückgezogen.",
      next: "Fragen Sie das Unternehmen, das sie angefordert hat, nach Einzelheiten.",
    },
    resubmit: {
      why: "Über Ihre letzte Einreichung konnte nicht entschieden werden.",
      next: "Prüfen Sie Ihre Angaben und reichen Sie sie erneut ein.",
    },
    unverifiable: {
      why: "Ihre Angaben konnten nicht bestätigt werden.",
      next: "Fragen Sie das Unternehmen, das die Verifizierung angefordert hat, was Sie tun können.",
    },
  },

  renewal: {
    heading: "Verifizierung verlängern",
    text: (company) =>
      html`Ihre Verifizierung für ${company} endet bald. Verlängern Sie sie, um verifiziert zu bleiben. Die jetzige gilt bis dahin.`,
    over: (company) => html`Ihre Verifizierung für ${company} ist abgelaufen. Verifizieren Sie sich erneut.`,
    start: "Jetzt verlängern",
    notStarted: (company) =>
      `Die Verlängerung konnte nicht gestartet werden. Versuchen Sie es später erneut oder fragen Sie ${company}.`,
    stop: "Erinnerungen abstellen",
    stopped: "Die Erinnerungen sind abgestellt.",
    notStopped:
      "Die Erinnerungen konnten nicht abgestellt werden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
  },
  remind: {
    heading: "Vor dem Ablauf erinnern lassen",
    text: "Sie erhalten eine E-Mail mit einem Link zum Verlängern. Ihre Adresse wird verschlüsselt gespeichert, für nichts anderes verwendet und gelöscht, wenn die Verifizierung endet.",
    label: "E-Mail-Adresse",
    missing: "Geben Sie eine E-Mail-Adresse ein, etwa name@example.com.",
    submit: "Erinnerung einrichten",
    done: "Sie erhalten vor dem Ablauf eine E-Mail.",
    notSent: "Ihre Adresse wurde nicht gespeichert. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
  },
}
