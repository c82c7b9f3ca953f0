import { html } from "#server/lib/html.ts"
import type { Texts } from "./texts.ts"

export const pt: Texts = {
  steps: {
    label: "Etapas",
    consent: "Confirmar",
    wallet: "Carteira",
    check: "Análise",
    result: "Resultado",
    done: "concluída",
  },
  testMode: "Modo de teste",
  language: "Idioma",
  questions: (contact) => html`Dúvidas? ${contact}`,
  poweredBy: (vouch) => html`Verificação por ${vouch}`,
  needsScript: "Para continuar, esta página precisa de JavaScript. Ative-o e recarregue a página.",
  reload: "Recarregue esta página para ver o estado mais recente.",

  facts: {
    wallet: "Carteira",
    check: "Verificação",
    facts: "Dados",
    checkedBy: "Verificado por",
    validFor: "Válida por",
    requestedBy: "Solicitada por",
    validUntil: "Válida até",
    transaction: "Transação",
    network: "Rede",
    reason: "Motivo",
  },
  schemas: {
    kyc_individual_v1: "Identidade (pessoa física)",
    kyc_business_v1: "Identidade (empresa)",
    accredited_investor_v1: "Investidor credenciado",
  },
  claims: { country: "país", age_over_18: "maioridade", accredited: "credenciamento como investidor" },
  localNetwork: "Rede de teste local",
  copyWallet: "copiar o endereço da carteira",
  copyTransaction: "copiar a assinatura da transação",
  copied: "Copiado",
  openUntil: (time) => html`Aberta até ${time}`,

  open: {
    heading: "Verifique sua identidade",
    news: "É necessário um novo envio.",
    asks: (company) => html`${company} pede que você confirme alguns dados pessoais como titular desta carteira.`,
    submitAgain: "Envie seus dados novamente.",
    stored: {
      heading: "O que é armazenado",
      kept: {
        what: "Armazenado com criptografia:",
        text: "país, maioridade, credenciamento como investidor.",
      },
      never: {
        what: "Nunca armazenado pela Vouch:",
        text: "documentos, imagens, nome, data de nascimento.",
      },
      onChain: {
        what: "Na Solana:",
        text: "uma credencial com um resumo criptográfico e uma data de validade, nenhum dado pessoal.",
      },
      provider: {
        what: (provider) => html`Em ${provider}:`,
        text: "o que você enviar lá, conforme a política de privacidade desse serviço.",
      },
    },
    consent: {
      label: "Concordo",
      text: (company) =>
        html`que estes dados sejam verificados e armazenados como descrito acima e que ${company} receba o resultado.`,
      missing: "Concorde para continuar.",
    },
    agree: "Continuar",
    away: (provider) => html`Você continua na página de ${provider}. Depois, o resultado aparece nesta página.`,
    goOn: (provider) => html`Continuar para ${provider}`,
  },
  wallet: {
    heading: "Comprove que esta carteira é sua",
    text: "Sua carteira assina uma mensagem curta. Não custa nada e não movimenta nenhum token.",
    signWith: "Assine com esta carteira",
    choose: "Escolha a carteira com que vai assinar:",
    sign: "Assinar com {wallet}",
    approve: "Aprove a solicitação na {wallet}.",
    phone: "Este navegador não tem uma carteira Solana. Abra esta página no aplicativo da sua carteira e assine lá:",
    openIn: "Abrir na {wallet}",
    desktop:
      "Este navegador não tem uma carteira Solana. Instale a extensão da sua carteira e recarregue esta página, ou escaneie este código com o celular que tem sua carteira.",
    code: "Código QR com o endereço desta página",
    otherWay: "Assinar de outra forma com {wallet}",
    unsent:
      "Algumas carteiras de hardware não conseguem assinar mensagens. A {wallet} pode assinar, em vez disso, uma transação com o mesmo texto. Ela nunca é enviada, por isso não custa nada e não movimenta nada. A {wallet} pode avisar que ela falharia, e uma carteira de hardware pode pedir a assinatura cega.",
    signUnsent: "Assinar com {wallet}, sem enviar",
    failures: {
      declined: "{wallet} não assinou. Abra-a, escolha a conta acima e tente novamente.",
      otherAccount: "{wallet} está com outra conta aberta. Mude para a conta acima e tente novamente.",
      other: "A assinatura não foi enviada. Verifique a conexão e tente novamente.",
      session: "Esta página não está mais atualizada. Recarregue-a e tente novamente.",
      request: "Essa solicitação já foi usada ou foi substituída por uma mais recente. Tente novamente.",
      domain: "A carteira assinou para outro site. Abra o link original e tente novamente.",
      wallet: "Outra conta assinou a mensagem. Mude para a conta acima e tente novamente.",
      early: "A solicitação ainda não é válida. Tente novamente em instantes.",
      late: "A solicitação expirou. Tente novamente.",
      message: "A carteira alterou a mensagem, por isso ela não comprova nada. Tente outro aplicativo de carteira.",
      signature: "A assinatura não é da conta acima. Mude para essa conta e tente novamente.",
      cannot: "{wallet} não conseguiu assinar a mensagem com esta conta.",
      transaction: "A transação não foi encontrada ou falhou. Espere a confirmação e verifique novamente.",
      memo: "Esta transação não tem um memo com exatamente este texto assinado pela carteira. Confira o texto e o signatário e tente novamente.",
    },
    onChain: {
      text: "Esta carteira é controlada por um programa, como um cofre do Squads, por isso assina na rede: seus membros enviam uma transação com um memo. A transação não movimenta nenhum token e custa uma taxa de rede.",
      wallet: "Carteira que assina",
      memo: "Envie exatamente este texto como memo, com a carteira como signatária do memo. O texto ficará público:",
      copy: "copiar o texto do memo",
      transaction: "Assinatura da transação executada",
      missing: "Informe a assinatura da transação, com 87 ou 88 caracteres.",
      check: "Verificar transação",
      notAsked: "Não foi possível carregar o texto do memo. Recarregue esta página.",
      notChecked: "Não foi possível verificar a transação. Tente novamente em instantes.",
    },
  },
  form: {
    heading: "Suas respostas",
    country: "País",
    chooseCountry: "Escolha um país",
    countryMissing: "Escolha seu país.",
    over18: "Sou maior de 18 anos",
    accredited: "Investidor credenciado",
    sandboxName: "Ambiente de teste integrado",
    sandbox: "Este é um ambiente de teste",
    sandboxText: "Nenhum documento é verificado aqui. Você escolhe o resultado.",
    outcome: "Resultado",
    outcomes: {
      approved: "Aprovada",
      rejected: "Rejeitada",
      resubmission_requested: "Novo envio solicitado",
      in_review: "Em análise",
      expired: "Expirada",
    },
    submit: "Enviar verificação",
  },
  failures: {
    refused: "Suas respostas não foram aceitas. Confira e envie novamente.",
    notSent: "Suas respostas não foram enviadas. Elas continuam aqui: verifique a conexão e envie novamente.",
    notSentOn: "Não foi possível continuar. Verifique a conexão e tente novamente.",
    notAWallet:
      "Este endereço não é uma carteira, mas guarda tokens para uma. Peça à empresa um link para o endereço da sua própria carteira.",
    providerUnavailable: (provider) =>
      `${provider} não está respondendo no momento. Nada foi perdido: tente novamente em instantes.`,
    providerMissing: (provider) =>
      `${provider} não está conectado no momento. Tente mais tarde ou pergunte a quem enviou o link.`,
  },

  handedOver: {
    heading: "Aguardando o resultado",
    news: "O resultado aparecerá aqui.",
    finished: (provider) =>
      html`Já terminou em ${provider}? O resultado aparece aqui automaticamente. Você pode fechar esta página e abrir o mesmo link mais tarde.`,
    unfinished: "Ainda não terminou? Continue de onde parou.",
  },
  checking: {
    heading: "Sua verificação está em análise",
    news: "O resultado aparecerá aqui.",
    text: "O resultado aparece aqui automaticamente. Você pode fechar esta página e abrir o mesmo link mais tarde para vê-lo.",
    reviewNews: "Uma pessoa está analisando. Você pode fechar esta página.",
    reviewText:
      "Uma pessoa está analisando. Você pode fechar esta página e abrir o mesmo link mais tarde para ver o resultado.",
  },
  lost: "Conexão perdida. Tentando novamente.",
  verified: {
    heading: "Sua carteira está verificada",
    news: "Pronto.",
    text: (company) =>
      html`A partir de agora, ${company} pode contar com esta verificação. Você pode fechar esta página.`,
    explorer: "Ver a transação no Solana Explorer",
  },
  whatYouCanDo: "O que você pode fazer",
  rejected: {
    heading: "Verificação rejeitada",
    news: "Não foi aceita.",
    happened: () => html`O que você enviou foi analisado e a verificação foi rejeitada.`,
    next: (company) =>
      html`Se você acredita que houve um engano, entre em contato com ${company} ou peça um novo link para recomeçar.`,
  },
  cancelled: {
    heading: "Verificação cancelada",
    news: "Está encerrada.",
    happened: (company) => html`${company} encerrou esta verificação antes da decisão.`,
    next: (company) =>
      html`Se você acredita que houve um engano, entre em contato com ${company} ou peça um novo link para recomeçar.`,
  },
  revoked: {
    heading: "Verificação revogada",
    news: "Não é mais válida.",
    happened: () => html`Esta carteira estava verificada. A verificação foi revogada e sua credencial foi removida.`,
    next: (company) => html`Se você acredita que houve um engano, entre em contato com ${company}.`,
  },
  expired: {
    heading: "Sua verificação expirou",
    news: "Não é mais válida.",
    happened: () => html`Esta carteira estava verificada, mas a verificação expirou.`,
    next: (company) => html`Se você ainda precisa da verificação, peça um novo link a ${company}.`,
  },
  closed: {
    heading: "Esta verificação expirou",
    news: "Está encerrada.",
    happened: () => html`Ela terminou antes de sua carteira ser verificada.`,
    next: (company) => html`Se você ainda precisa da verificação, peça um novo link a ${company}.`,
  },
  superseded: {
    heading: "Sua verificação foi renovada",
    news: "Outra mais recente a substituiu.",
    happened: () => html`Esta carteira foi verificada novamente. Vale a verificação mais recente.`,
    next: () => html`Você pode fechar esta página.`,
  },
  unknown: {
    heading: "Verificação não encontrada",
    text: "Não há nenhuma verificação neste endereço.",
    next: "Confira se você abriu o link completo ou peça um novo à empresa que o enviou.",
  },
  failed: {
    heading: "Não foi possível carregar esta página",
    text: "O serviço está indisponível no momento. Esta página continua tentando.",
    retry: "Tentar novamente",
  },

  back: {
    link: (host) => html`Voltar para ${host}`,
    announced: (host) => `Você voltará para ${host} em {time}, a menos que prefira ficar.`,
    counting: "Voltando em {time}",
    stay: "Ficar aqui",
  },
  reasons: {
    documents_unreadable: {
      why: "Não foi possível ler um documento.",
      next: "Use uma foto nítida e completa de um documento ainda válido.",
    },
    information_mismatch: {
      why: "Seus dados não conferem.",
      next: "Digite seus dados exatamente como aparecem no documento.",
    },
    not_eligible: {
      why: "Você não cumpre os requisitos desta verificação.",
      next: "Pergunte quais são à empresa que solicitou a verificação.",
    },
    withdrawn: {
      why: "A verificação foi retirada.",
      next: "Peça detalhes à empresa que a solicitou.",
    },
    resubmit: {
      why: "Não foi possível decidir sobre seu último envio.",
      next: "Confira suas respostas e envie novamente.",
    },
    unverifiable: {
      why: "Não foi possível verificar seus dados.",
      next: "Pergunte à empresa que solicitou a verificação o que você pode fazer.",
    },
  },

  renewal: {
    heading: "Renove sua verificação",
    text: (company) =>
      html`Sua verificação para ${company} termina em breve. Renove-a para não perdê-la. A atual vale até lá.`,
    over: (company) => html`Sua verificação para ${company} expirou. Faça uma nova verificação.`,
    start: "Renovar agora",
    notStarted: (company) => `Não foi possível iniciar a renovação. Tente mais tarde ou pergunte a ${company}.`,
    stop: "Desativar lembretes",
    stopped: "Os lembretes estão desativados.",
    notStopped: "Não foi possível desativar os lembretes. Verifique a conexão e tente novamente.",
  },
  remind: {
    heading: "Receber um aviso antes de a verificação expirar",
    text: "Você receberá um e-mail com um link para renovar. Seu endereço é armazenado com criptografia, não é usado para mais nada e é apagado quando a verificação termina.",
    label: "Endereço de e-mail",
    missing: "Informe um endereço de e-mail, como nome@example.com.",
    submit: "Quero receber",
    done: "Você receberá um e-mail antes de a verificação expirar.",
    notSent: "Seu endereço não foi salvo. Verifique a conexão e tente novamente.",
  },
}
