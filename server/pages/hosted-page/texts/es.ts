import { html } from "#server/lib/html.ts"
import type { Texts } from "./texts.ts"

export const es: Texts = {
  steps: {
    label: "Pasos",
    consent: "Confirmar",
    wallet: "Wallet",
    check: "Revisión",
    result: "Resultado",
    done: "completado",
  },
  testMode: "Modo de prueba",
  language: "Idioma",
  questions: (contact) => html`¿Preguntas? ${contact}`,
  poweredBy: (vouch) => html`Verificación por ${vouch}`,
  needsScript: "Para continuar, esta página necesita JavaScript. Actívelo y vuelva a cargar la página.",
  reload: "Vuelva a cargar esta página para ver el estado más reciente.",

  facts: {
    wallet: "Wallet",
    check: "Verificación",
    facts: "Datos",
    checkedBy: "Comprobado por",
    validFor: "Válida durante",
    requestedBy: "Solicitada por",
    validUntil: "Válida hasta",
    transaction: "Transacción",
    network: "Red",
    reason: "Motivo",
  },
  schemas: {
    kyc_individual_v1: "Identidad de persona física",
    kyc_business_v1: "Identidad de empresa",
    accredited_investor_v1: "Inversor acreditado",
  },
  claims: { country: "país", age_over_18: "mayoría de edad", accredited: "acreditación como inversor" },
  localNetwork: "Red de prueba local",
  copyWallet: "copiar la dirección de la wallet",
  copyTransaction: "copiar la firma de la transacción",
  copied: "Copiado",
  openUntil: (time) => html`Abierta hasta el ${time}`,

  open: {
    heading: "Verifique su identidad",
    news: "Es necesario un nuevo envío.",
    asks: (company) => html`${company} le pide que confirme algunos datos sobre usted como titular de esta wallet.`,
    submitAgain: "Envíe sus datos de nuevo.",
    stored: {
      heading: "Qué se guarda",
      kept: {
        what: "Se guarda cifrado:",
        text: "país, mayoría de edad, acreditación como inversor.",
      },
      never: {
        what: "Vouch nunca guarda:",
        text: "documentos, imágenes, nombre ni fecha de nacimiento.",
      },
      onChain: {
        what: "En Solana:",
        text: "una credencial con un resumen criptográfico y una fecha de caducidad, ningún dato personal.",
      },
      provider: {
        what: (provider) => html`En ${provider}:`,
        text: "lo que envíe allí, según su propia política de privacidad.",
      },
    },
    consent: {
      label: "Acepto",
      text: (company) =>
        html`que estos datos se comprueben y guarden como se describe arriba, y que ${company} conozca el resultado.`,
      missing: "Acepte para continuar.",
    },
    agree: "Continuar",
    away: (provider) => html`Continuará en la página de ${provider}. Después, el resultado aparecerá en esta página.`,
    goOn: (provider) => html`Continuar en ${provider}`,
  },
  wallet: {
    heading: "Demuestre que esta wallet es suya",
    text: "Su wallet firma un mensaje breve. No cuesta nada y no mueve ningún token.",
    signWith: "Firme con esta wallet",
    choose: "Elija la wallet con la que va a firmar:",
    sign: "Firmar con {wallet}",
    approve: "Apruebe la solicitud en {wallet}.",
    phone:
      "Este navegador no tiene ninguna wallet de Solana. Abra esta página en la aplicación de su wallet y firme allí:",
    openIn: "Abrir en {wallet}",
    desktop:
      "Este navegador no tiene ninguna wallet de Solana. Instale la extensión de su wallet y recargue esta página, o escanee este código con el teléfono que tiene su wallet.",
    code: "Código QR con la dirección de esta página",
    otherWay: "Firmar de otra manera con {wallet}",
    unsent:
      "Algunas wallets de hardware no pueden firmar mensajes. {wallet} puede firmar en su lugar una transacción con el mismo texto. Nunca se envía, por lo que no cuesta nada y no mueve nada. Es posible que {wallet} avise de que fallaría y que una wallet de hardware pida activar la firma a ciegas.",
    signUnsent: "Firmar con {wallet}, sin enviar",
    failures: {
      declined: "{wallet} no ha firmado. Ábrala, elija la cuenta indicada arriba e inténtelo de nuevo.",
      otherAccount: "{wallet} tiene abierta otra cuenta. Cambie a la cuenta indicada arriba e inténtelo de nuevo.",
      other: "La firma no se ha enviado. Compruebe su conexión e inténtelo de nuevo.",
      session: "Esta página ya no está actualizada. Recárguela e inténtelo de nuevo.",
      request: "Esa solicitud ya se utilizó o fue sustituida por otra más reciente. Inténtelo de nuevo.",
      domain: "La wallet ha firmado para otro sitio web. Abra el enlace original e inténtelo de nuevo.",
      wallet: "El mensaje lo ha firmado otra cuenta. Cambie a la cuenta indicada arriba e inténtelo de nuevo.",
      early: "La solicitud todavía no es válida. Inténtelo de nuevo en un momento.",
      late: "La solicitud ha caducado. Inténtelo de nuevo.",
      message:
        "La wallet ha modificado el mensaje, por lo que no demuestra nada. Pruebe con otra aplicación de wallet.",
      signature: "La firma no es de la cuenta indicada arriba. Cambie a esa cuenta e inténtelo de nuevo.",
      cannot: "{wallet} no ha podido firmar el mensaje con esta cuenta.",
      transaction: "No se ha encontrado la transacción o ha fallado. Espere a que se confirme y vuelva a comprobarla.",
      memo: "Esta transacción no tiene un memo con exactamente este texto firmado por la wallet. Compruebe el texto y el firmante e inténtelo de nuevo.",
    },
    onChain: {
      text: "Esta wallet está controlada por un programa, como una bóveda de Squads, por lo que firma en la cadena: sus miembros envían una transacción con un memo. La transacción no mueve ningún token y cuesta una comisión de red.",
      wallet: "Wallet que firma",
      memo: "Envíe exactamente este texto como memo, con la wallet como firmante del memo. El texto será público:",
      copy: "copiar el texto del memo",
      transaction: "Firma de la transacción ejecutada",
      missing: "Introduzca la firma de la transacción, de 87 u 88 caracteres.",
      check: "Comprobar la transacción",
      notAsked: "No se ha podido cargar el texto del memo. Recargue esta página.",
      notChecked: "No se ha podido comprobar la transacción. Inténtelo de nuevo en un momento.",
    },
  },
  form: {
    heading: "Sus respuestas",
    country: "País",
    chooseCountry: "Elija un país",
    countryMissing: "Elija su país.",
    over18: "Soy mayor de 18 años",
    accredited: "Inversor acreditado",
    sandboxName: "Entorno de pruebas integrado",
    sandbox: "Este es un entorno de pruebas",
    sandboxText: "Aquí no se comprueba ningún documento. Usted elige el resultado.",
    outcome: "Resultado",
    outcomes: {
      approved: "Aprobada",
      rejected: "Rechazada",
      resubmission_requested: "Nuevo envío solicitado",
      in_review: "En revisión",
      expired: "Caducada",
    },
    submit: "Enviar la verificación",
  },
  failures: {
    refused: "No se aceptaron sus respuestas. Revíselas y envíelas de nuevo.",
    notSent: "Sus respuestas no se enviaron. Siguen aquí: compruebe su conexión y envíelas de nuevo.",
    notSentOn: "No se ha podido continuar. Compruebe su conexión e inténtelo de nuevo.",
    notAWallet:
      "Esta dirección no es una wallet, sino que guarda tokens para una. Pida a la empresa un enlace para la dirección de su propia wallet.",
    providerUnavailable: (provider) =>
      `${provider} no responde en este momento. No se ha perdido nada: inténtelo de nuevo en un momento.`,
    providerMissing: (provider) =>
      `${provider} no está conectado en este momento. Inténtelo más tarde o pregunte a quien le envió el enlace.`,
  },

  handedOver: {
    heading: "A la espera del resultado",
    news: "El resultado aparecerá aquí.",
    finished: (provider) =>
      html`¿Ha terminado en ${provider}? El resultado aparecerá aquí automáticamente. Puede cerrar esta página y abrir el mismo enlace más tarde.`,
    unfinished: "¿Aún no ha terminado? Continúe donde lo dejó.",
  },
  checking: {
    heading: "Su verificación se está revisando",
    news: "El resultado aparecerá aquí.",
    text: "El resultado aparecerá aquí automáticamente. Puede cerrar esta página y abrir el mismo enlace más tarde para verlo.",
    reviewNews: "Una persona la está revisando. Puede cerrar esta página.",
    reviewText:
      "Una persona la está revisando. Puede cerrar esta página y abrir el mismo enlace más tarde para ver el resultado.",
  },
  lost: "Conexión perdida. Reintentando.",
  verified: {
    heading: "Su wallet está verificada",
    news: "Listo.",
    text: (company) =>
      html`A partir de ahora, ${company} puede contar con esta verificación. Puede cerrar esta página.`,
    explorer: "Ver la transacción en Solana Explorer",
  },
  whatYouCanDo: "Qué puede hacer",
  rejected: {
    heading: "Verificación rechazada",
    news: "No se ha aceptado.",
    happened: () => html`Se revisó lo que envió y la verificación fue rechazada.`,
    next: (company) =>
      html`Si cree que es un error, contacte con ${company} o pídale otro enlace para empezar de nuevo.`,
  },
  cancelled: {
    heading: "Verificación cancelada",
    news: "Está cerrada.",
    happened: (company) => html`${company} puso fin a esta verificación antes de que se decidiera.`,
    next: (company) =>
      html`Si cree que es un error, contacte con ${company} o pídale otro enlace para empezar de nuevo.`,
  },
  revoked: {
    heading: "Verificación revocada",
    news: "Ya no es válida.",
    happened: () => html`Esta wallet estaba verificada. La verificación fue revocada y se retiró su credencial.`,
    next: (company) => html`Si cree que es un error, contacte con ${company}.`,
  },
  expired: {
    heading: "Su verificación ha caducado",
    news: "Ya no es válida.",
    happened: () => html`Esta wallet estaba verificada, pero la verificación ha caducado.`,
    next: (company) => html`Si aún necesita verificarse, pida un nuevo enlace a ${company}.`,
  },
  closed: {
    heading: "Esta verificación ha caducado",
    news: "Está cerrada.",
    happened: () => html`Terminó antes de que su wallet se verificara.`,
    next: (company) => html`Si aún necesita verificarse, pida un nuevo enlace a ${company}.`,
  },
  superseded: {
    heading: "Su verificación se renovó",
    news: "Otra más reciente la ha sustituido.",
    happened: () => html`Esta wallet se verificó de nuevo. La válida es la verificación más reciente.`,
    next: () => html`Puede cerrar esta página.`,
  },
  unknown: {
    heading: "No se ha encontrado la verificación",
    text: "No hay ninguna verificación en esta dirección.",
    next: "Compruebe que ha abierto el enlace completo o pida uno nuevo a la empresa que se lo envió.",
  },
  failed: {
    heading: "No se ha podido cargar esta página",
    text: "El servicio no está disponible en este momento. Esta página lo sigue intentando.",
    retry: "Intentar de nuevo",
  },

  back: {
    link: (host) => html`Volver a ${host}`,
    announced: (host) => `Volverá a ${host} en {time}, salvo que decida quedarse.`,
    counting: "Volverá en {time}",
    stay: "Quedarse aquí",
  },
  reasons: {
    documents_unreadable: {
      why: "No se pudo leer un documento.",
      next: "Use una foto nítida y completa de un documento vigente.",
    },
    information_mismatch: {
      why: "Sus datos no coincidían.",
      next: "Escriba sus datos exactamente como aparecen en su documento.",
    },
    not_eligible: {
      why: "No cumple los requisitos de esta verificación.",
      next: "Pregunte cuáles son a la empresa que la solicitó.",
    },
    withdrawn: {
      why: "La verificación fue retirada.",
      next: "Pida más detalles a la empresa que la solicitó.",
    },
    resubmit: {
      why: "No se pudo decidir sobre su último envío.",
      next: "Revise sus respuestas y envíelas de nuevo.",
    },
    unverifiable: {
      why: "No se pudieron verificar sus datos.",
      next: "Pregunte qué puede hacer a la empresa que la solicitó.",
    },
  },

  renewal: {
    heading: "Renueve su verificación",
    text: (company) =>
      html`Su verificación para ${company} termina pronto. Renuévela para conservarla. La actual es válida hasta entonces.`,
    over: (company) => html`Su verificación para ${company} ha caducado. Vuelva a verificarse.`,
    start: "Renovar ahora",
    notStarted: (company) => `No se ha podido iniciar la renovación. Inténtelo más tarde o pregunte a ${company}.`,
    stop: "Desactivar recordatorios",
    stopped: "Los recordatorios están desactivados.",
    notStopped: "No se han podido desactivar los recordatorios. Compruebe su conexión e inténtelo de nuevo.",
  },
  remind: {
    heading: "Avisarme antes de que caduque",
    text: "Recibirá un correo con un enlace para renovar. Su dirección se guarda cifrada, no se usa para nada más y se borra cuando termina la verificación.",
    label: "Correo electrónico",
    missing: "Introduzca una dirección de correo, como nombre@example.com.",
    submit: "Avisarme",
    done: "Recibirá un correo antes de que caduque.",
    notSent: "No se ha guardado su dirección. Compruebe su conexión e inténtelo de nuevo.",
  },
}
