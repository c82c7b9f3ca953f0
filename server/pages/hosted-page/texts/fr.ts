import { html } from "#server/lib/html.ts"
import type { Texts } from "./texts.ts"

export const fr: Texts = {
  steps: {
    label: "Étapes",
    consent: "Confirmer",
    wallet: "Wallet",
    check: "Contrôle",
    result: "Résultat",
    done: "terminé",
  },
  testMode: "Mode test",
  language: "Langue",
  questions: (contact) => html`Des questions ? ${contact}`,
  poweredBy: (vouch) => html`Vérification par ${vouch}`,
  needsScript: "Pour continuer, cette page a besoin de JavaScript. Activez-le, puis rechargez la page.",
  reload: "Rechargez cette page pour voir l’état le plus récent.",

  facts: {
    wallet: "Wallet",
    check: "Contrôle",
    facts: "Informations",
    checkedBy: "Contrôlé par",
    validFor: "Durée de validité",
    requestedBy: "Demandé par",
    validUntil: "Valable jusqu’au",
    transaction: "Transaction",
    network: "Réseau",
    reason: "Motif",
  },
  schemas: {
    kyc_individual_v1: "Identité (particulier)",
    kyc_business_v1: "Identité (entreprise)",
    accredited_investor_v1: "Investisseur accrédité",
  },
  claims: { country: "pays", age_over_18: "majorité", accredited: "statut d’investisseur accrédité" },
  localNetwork: "Réseau de test local",
  copyWallet: "copier l’adresse du wallet",
  copyTransaction: "copier la signature de la transaction",
  copied: "Copié",
  openUntil: (time) => html`Ouvert jusqu’au ${time}`,

  open: {
    heading: "Vérifiez votre identité",
    news: "Un nouvel envoi est nécessaire.",
    asks: (company) =>
      html`${company} vous demande de confirmer quelques informations sur vous, en tant que titulaire de ce wallet.`,
    submitAgain: "Veuillez envoyer vos informations à nouveau.",
    stored: {
      heading: "Ce qui est conservé",
      kept: {
        what: "Conservé sous forme chiffrée :",
        text: "pays, majorité, statut d’investisseur accrédité.",
      },
      never: {
        what: "Jamais conservés par Vouch :",
        text: "documents, images, nom, date de naissance.",
      },
      onChain: {
        what: "Sur Solana :",
        text: "une attestation avec une empreinte et une date d’expiration, aucune donnée personnelle.",
      },
      provider: {
        what: (provider) => html`Chez ${provider} :`,
        text: "ce que vous y envoyez, selon sa propre politique de confidentialité.",
      },
    },
    consent: {
      label: "J’accepte",
      text: (company) =>
        html`que ces informations soient contrôlées et conservées comme décrit ci-dessus, et que ${company} prenne connaissance du résultat.`,
      missing: "Donnez votre accord pour continuer.",
    },
    agree: "Continuer",
    away: (provider) => html`Vous continuez sur la page de ${provider}. Le résultat s’affiche ensuite sur cette page.`,
    goOn: (provider) => html`Continuer vers ${provider}`,
  },
  wallet: {
    heading: "Prouvez que ce wallet vous appartient",
    text: "Votre wallet signe un court message. Cela ne coûte rien et ne déplace aucun jeton.",
    signWith: "Signez avec ce wallet",
    choose: "Choisissez le wallet avec lequel signer :",
    sign: "Signer avec {wallet}",
    approve: "Approuvez la demande dans {wallet}.",
    phone:
      "Ce navigateur n’a pas de wallet Solana. Ouvrez cette page dans l’application de votre wallet pour y signer :",
    openIn: "Ouvrir dans {wallet}",
    desktop:
      "Ce navigateur n’a pas de wallet Solana. Installez l’extension de votre wallet et rechargez cette page, ou scannez ce code avec le téléphone où se trouve votre wallet.",
    code: "Code QR contenant l’adresse de cette page",
    otherWay: "Signer autrement avec {wallet}",
    unsent:
      "Certains wallets matériels ne peuvent pas signer de message. {wallet} peut signer à la place une transaction qui contient le même texte. Elle n’est jamais envoyée : elle ne coûte donc rien et ne déplace rien. {wallet} peut avertir qu’elle échouerait, et un wallet matériel peut demander la signature aveugle.",
    signUnsent: "Signer avec {wallet}, sans envoyer",
    failures: {
      declined: "{wallet} n’a pas signé. Ouvrez-le, choisissez le compte ci-dessus et réessayez.",
      otherAccount: "Un autre compte est ouvert dans {wallet}. Passez au compte ci-dessus et réessayez.",
      other: "La signature n’a pas été envoyée. Vérifiez votre connexion et réessayez.",
      session: "Cette page n’est plus à jour. Rechargez-la et réessayez.",
      request: "Cette demande a déjà servi, ou une plus récente l’a remplacée. Réessayez.",
      domain: "Le wallet a signé pour un autre site. Ouvrez le lien d’origine et réessayez.",
      wallet: "Un autre compte a signé le message. Passez au compte ci-dessus et réessayez.",
      early: "La demande n’est pas encore valable. Réessayez dans un instant.",
      late: "La demande a expiré. Réessayez.",
      message: "Le wallet a modifié le message, qui ne prouve donc rien. Essayez une autre application de wallet.",
      signature: "La signature ne vient pas du compte ci-dessus. Passez à ce compte et réessayez.",
      cannot: "{wallet} n’a pas pu signer le message avec ce compte.",
      transaction: "La transaction est introuvable ou a échoué. Attendez sa confirmation, puis vérifiez de nouveau.",
      memo: "Cette transaction ne contient pas de mémo avec exactement ce texte, signé par le wallet. Vérifiez le texte et le signataire, puis réessayez.",
    },
    onChain: {
      text: "Ce wallet est contrôlé par un programme, comme un coffre Squads. Il signe donc sur la chaîne : ses membres envoient une transaction avec un mémo. La transaction ne déplace aucun jeton et coûte des frais de réseau.",
      wallet: "Wallet qui signe",
      memo: "Envoyez exactement ce texte comme mémo, avec le wallet comme signataire du mémo. Le texte sera public :",
      copy: "copier le texte du mémo",
      transaction: "Signature de la transaction exécutée",
      missing: "Saisissez la signature de la transaction, 87 ou 88 caractères.",
      check: "Vérifier la transaction",
      notAsked: "Le texte du mémo n’a pas pu être chargé. Rechargez cette page.",
      notChecked: "La transaction n’a pas pu être vérifiée. Réessayez dans un instant.",
    },
  },
  form: {
    heading: "Vos réponses",
    country: "Pays",
    chooseCountry: "Choisissez un pays",
    countryMissing: "Choisissez votre pays.",
    over18: "J’ai plus de 18 ans",
    accredited: "Investisseur accrédité",
    sandboxName: "Environnement de test intégré",
    sandbox: "Ceci est un environnement de test",
    sandboxText: "Aucun document n’est contrôlé ici. Vous choisissez le résultat.",
    outcome: "Résultat",
    outcomes: {
      approved: "Approuvée",
      rejected: "Refusée",
      resubmission_requested: "Nouvel envoi demandé",
      in_review: "En cours d’examen",
      expired: "Expirée",
    },
    submit: "Envoyer mes réponses",
  },
  failures: {
    refused: "Vos réponses n’ont pas été acceptées. Vérifiez-les, puis envoyez-les à nouveau.",
    notSent:
      "Vos réponses n’ont pas été envoyées. Elles sont toujours là : vérifiez votre connexion et envoyez-les à nouveau.",
    notSentOn: "La redirection a échoué. Vérifiez votre connexion et réessayez.",
    notAWallet:
      "Cette adresse n’est pas un wallet : elle conserve des jetons pour un wallet. Demandez à l’entreprise un lien pour l’adresse de votre wallet.",
    providerUnavailable: (provider) =>
      `${provider} ne répond pas pour le moment. Rien n’est perdu : réessayez dans un instant.`,
    providerMissing: (provider) =>
      `${provider} n’est pas connecté pour le moment. Réessayez plus tard, ou adressez-vous à la personne qui vous a envoyé le lien.`,
  },

  handedOver: {
    heading: "En attente du résultat",
    news: "Le résultat s’affichera ici.",
    finished: (provider) =>
      html`Vous avez terminé chez ${provider} ? Le résultat s’affiche ici automatiquement. Vous pouvez fermer cette page et rouvrir le même lien plus tard.`,
    unfinished: "Pas encore terminé ? Reprenez là où vous en étiez.",
  },
  checking: {
    heading: "Votre vérification est en cours d’examen",
    news: "Le résultat s’affichera ici.",
    text: "Le résultat s’affiche ici automatiquement. Vous pouvez fermer cette page et rouvrir le même lien plus tard pour le voir.",
    reviewNews: "Une personne l’examine. Vous pouvez fermer cette page.",
    reviewText:
      "Une personne l’examine. Vous pouvez fermer cette page et rouvrir le même lien plus tard pour voir le résultat.",
  },
  lost: "Connexion perdue. Nouvelle tentative en cours.",
  verified: {
    heading: "Votre wallet est vérifié",
    news: "Terminé.",
    text: (company) => html`${company} peut désormais se fier à cette vérification. Vous pouvez fermer cette page.`,
    explorer: "Voir la transaction sur Solana Explorer",
  },
  whatYouCanDo: "Ce que vous pouvez faire",
  rejected: {
    heading: "Vérification refusée",
    news: "Elle n’a pas été acceptée.",
    happened: () => html`Ce que vous avez envoyé a été contrôlé, et la vérification a été refusée.`,
    next: (company) =>
      html`Si vous pensez qu’il s’agit d’une erreur, contactez ${company} ou demandez-lui un nouveau lien pour recommencer.`,
  },
  cancelled: {
    heading: "Vérification annulée",
    news: "Elle est close.",
    happened: (company) => html`${company} a mis fin à cette vérification avant la décision.`,
    next: (company) =>
      html`Si vous pensez qu’il s’agit d’une erreur, contactez ${company} ou demandez-lui un nouveau lien pour recommencer.`,
  },
  revoked: {
    heading: "Vérification révoquée",
    news: "Elle n’est plus valable.",
    happened: () => html`Ce wallet était vérifié. La vérification a été révoquée et son attestation retirée.`,
    next: (company) => html`Si vous pensez qu’il s’agit d’une erreur, contactez ${company}.`,
  },
  expired: {
    heading: "Votre vérification a expiré",
    news: "Elle n’est plus valable.",
    happened: () => html`Ce wallet était vérifié, mais la vérification a expiré.`,
    next: (company) => html`Si vous avez encore besoin de cette vérification, demandez un nouveau lien à ${company}.`,
  },
  closed: {
    heading: "Cette vérification a expiré",
    news: "Elle est terminée.",
    happened: () => html`Elle a pris fin avant que votre wallet soit vérifié.`,
    next: (company) => html`Si vous avez encore besoin de cette vérification, demandez un nouveau lien à ${company}.`,
  },
  superseded: {
    heading: "Votre vérification a été renouvelée",
    news: "Une plus récente l’a remplacée.",
    happened: () => html`Ce wallet a été vérifié à nouveau. La vérification la plus récente fait foi.`,
    next: () => html`Vous pouvez fermer cette page.`,
  },
  unknown: {
    heading: "Vérification introuvable",
    text: "Il n’y a aucune vérification à cette adresse.",
    next: "Vérifiez que vous avez ouvert le lien complet, ou demandez-en un nouveau à l’entreprise qui l’a envoyé.",
  },
  failed: {
    heading: "Cette page n’a pas pu être chargée",
    text: "Le service est indisponible pour le moment. Cette page réessaie automatiquement.",
    retry: "Réessayer",
  },

  back: {
    link: (host) => html`Retourner sur ${host}`,
    announced: (host) => `Retour sur ${host} dans {time}, sauf si vous choisissez de rester.`,
    counting: "Retour dans {time}",
    stay: "Rester ici",
  },
  reasons: {
    documents_unreadable: {
      why: "Un document n’a pas pu être lu.",
      next: "Utilisez une photo nette et complète d’un document en cours de validité.",
    },
    information_mismatch: {
      why: "Vos informations ne concordent pas.",
      next: "Saisissez vos informations exactement comme sur votre document.",
    },
    not_eligible: {
      why: "Vous ne remplissez pas les conditions de cette vérification.",
      next: "Renseignez-vous auprès de l’entreprise qui a demandé la vérification.",
    },
    withdrawn: {
      why: "La vérification a été retirée.",
      next: "Demandez des précisions à l’entreprise qui avait demandé la vérification.",
    },
    resubmit: {
      why: "Votre dernier envoi n’a pas permis de prendre une décision.",
      next: "Vérifiez vos réponses, puis envoyez-les à nouveau.",
    },
    unverifiable: {
      why: "Vos informations n’ont pas pu être vérifiées.",
      next: "Demandez à l’entreprise qui a demandé la vérification ce que vous pouvez faire.",
    },
  },

  renewal: {
    heading: "Renouvelez votre vérification",
    text: (company) =>
      html`Votre vérification pour ${company} se termine bientôt. Renouvelez-la pour la conserver. La vérification actuelle reste valable jusque-là.`,
    over: (company) => html`Votre vérification pour ${company} a expiré. Recommencez la vérification.`,
    start: "Renouveler maintenant",
    notStarted: (company) =>
      `Le renouvellement n’a pas pu commencer. Réessayez plus tard ou adressez-vous à ${company}.`,
    stop: "Désactiver les rappels",
    stopped: "Les rappels sont désactivés.",
    notStopped: "Les rappels n’ont pas pu être désactivés. Vérifiez votre connexion et réessayez.",
  },
  remind: {
    heading: "Me prévenir avant l’expiration",
    text: "Vous recevrez un e-mail avec un lien pour renouveler. Votre adresse est conservée chiffrée, n’est utilisée pour rien d’autre et est supprimée à la fin de la vérification.",
    label: "Adresse e-mail",
    missing: "Saisissez une adresse e-mail, par exemple nom@example.com.",
    submit: "Me prévenir",
    done: "Vous recevrez un e-mail avant l’expiration.",
    notSent: "Votre adresse n’a pas été enregistrée. Vérifiez votre connexion et réessayez.",
  },
}
