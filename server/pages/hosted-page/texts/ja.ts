import { html } from "#server/lib/html.ts"
import type { Texts } from "./texts.ts"

export const ja: Texts = {
  steps: {
    label: "手順",
    consent: "同意",
    wallet: "ウォレット",
    check: "確認",
    result: "結果",
    done: "完了",
  },
  testMode: "テストモード",
  language: "言語",
  questions: (contact) => html`お問い合わせ：${contact}`,
  poweredBy: (vouch) => html`本人確認：${vouch}`,
  needsScript: "続けるには JavaScript が必要です。有効にしてから、ページを再読み込みしてください。",
  reload: "最新の状態を見るには、このページを再読み込みしてください。",

  facts: {
    wallet: "ウォレット",
    check: "確認の種類",
    facts: "確認する情報",
    checkedBy: "確認サービス",
    validFor: "有効期間",
    requestedBy: "依頼元",
    validUntil: "有効期限",
    transaction: "トランザクション",
    network: "ネットワーク",
    reason: "理由",
  },
  schemas: {
    kyc_individual_v1: "個人の本人確認",
    kyc_business_v1: "法人の確認",
    accredited_investor_v1: "適格投資家",
  },
  claims: { country: "国", age_over_18: "18歳以上", accredited: "適格投資家" },
  localNetwork: "ローカルのテストネットワーク",
  copyWallet: "ウォレットアドレスをコピー",
  copyTransaction: "トランザクションの署名をコピー",
  copied: "コピーしました",
  openUntil: (time) => html`受付期限：${time}`,

  open: {
    heading: "本人確認",
    news: "もう一度提出してください。",
    asks: (company) =>
      html`${company} は、このウォレットの保有者であるお客様ご本人に関する情報の確認をお願いしています。`,
    submitAgain: "もう一度提出してください。",
    stored: {
      heading: "保存される情報",
      kept: {
        what: "暗号化して保存するもの：",
        text: "国、18歳以上かどうか、適格投資家かどうか。",
      },
      never: { what: "Vouch が保存しないもの：", text: "書類、画像、お名前、生年月日。" },
      onChain: {
        what: "Solana に記録するもの：",
        text: "証明、結果のハッシュ値、有効期限。個人情報なし。",
      },
      provider: {
        what: (provider) => html`${provider} での扱い：`,
        text: "提出された内容は、同社のプライバシーポリシーに従って扱われます。",
      },
    },
    consent: {
      label: "以下に同意します。",
      text: (company) => html`これらの情報が上記のとおり確認・保存され、結果が ${company} に通知されること。`,
      missing: "続けるには同意してください。",
    },
    agree: "続ける",
    away: (provider) => html`${provider} のページに移動します。結果は、その後このページに表示されます。`,
    goOn: (provider) => html`${provider} に進む`,
  },
  wallet: {
    heading: "このウォレットがご本人のものであることを証明してください",
    text: "ウォレットで短いメッセージに署名します。費用はかからず、トークンは移動しません。",
    signWith: "このウォレットで署名してください",
    choose: "署名に使うウォレットを選んでください。",
    sign: "{wallet} で署名する",
    approve: "{wallet} でリクエストを承認してください。",
    phone:
      "このブラウザには Solana ウォレットがありません。ウォレットアプリでこのページを開き、そこで署名してください。",
    openIn: "{wallet} で開く",
    desktop:
      "このブラウザには Solana ウォレットがありません。ウォレットの拡張機能をインストールしてこのページを再読み込みするか、ウォレットのあるスマートフォンでこのコードを読み取ってください。",
    code: "このページのアドレスの QR コード",
    otherWay: "{wallet} で別の方法で署名する",
    unsent:
      "ハードウェアウォレットの中には、メッセージに署名できないものがあります。代わりに、{wallet} で同じ文面のトランザクションに署名できます。このトランザクションは送信されないため、費用はかからず、何も移動しません。{wallet} が失敗するという警告を表示することや、ハードウェアウォレットがブラインド署名を求めることがあります。",
    signUnsent: "送信せずに {wallet} で署名する",
    failures: {
      declined: "{wallet} で署名されませんでした。{wallet} を開き、上記のアカウントを選んで、もう一度お試しください。",
      otherAccount: "{wallet} で別のアカウントが開かれています。上記のアカウントに切り替えて、もう一度お試しください。",
      other: "署名を送信できませんでした。接続を確認して、もう一度お試しください。",
      session: "このページは最新の状態ではありません。再読み込みして、もう一度お試しください。",
      request: "このリクエストは使用済みか、新しいリクエストに置き換えられています。もう一度お試しください。",
      domain: "ウォレットが別のサイトに対して署名しました。元のリンクを開いて、もう一度お試しください。",
      wallet: "別のアカウントがメッセージに署名しました。上記のアカウントに切り替えて、もう一度お試しください。",
      early: "リクエストはまだ有効ではありません。しばらくしてからもう一度お試しください。",
      late: "リクエストの有効期限が切れました。もう一度お試しください。",
      message: "ウォレットがメッセージを変更したため、証明になりません。別のウォレットアプリでお試しください。",
      signature: "上記のアカウントの署名ではありません。そのアカウントに切り替えて、もう一度お試しください。",
      cannot: "{wallet} はこのアカウントでメッセージに署名できませんでした。",
      transaction:
        "トランザクションが見つからないか、失敗しています。承認されるまで待ってから、もう一度確認してください。",
      memo: "このトランザクションには、ウォレットが署名した、この文面と完全に一致するメモがありません。文面と署名者を確認して、もう一度お試しください。",
    },
    onChain: {
      text: "このウォレットは Squads の保管庫のようなプログラムが管理しているため、チェーン上で署名します。メンバーがメモ付きのトランザクションを 1 件送信します。トークンは移動せず、ネットワーク手数料がかかります。",
      wallet: "署名するウォレット",
      memo: "次の文面をそのままメモとして、このウォレットをメモの署名者に指定して送信してください。文面は公開されます。",
      copy: "メモの文面をコピー",
      transaction: "実行されたトランザクションの署名",
      missing: "トランザクションの署名（87 または 88 文字）を入力してください。",
      check: "トランザクションを確認する",
      notAsked: "メモの文面を読み込めませんでした。このページを再読み込みしてください。",
      notChecked: "トランザクションを確認できませんでした。しばらくしてからもう一度お試しください。",
    },
  },
  form: {
    heading: "回答",
    country: "国",
    chooseCountry: "国を選択してください",
    countryMissing: "国を選択してください。",
    over18: "18歳以上です",
    accredited: "適格投資家です",
    sandboxName: "組み込みのテスト環境",
    sandbox: "これはテスト環境です",
    sandboxText: "書類の確認は行われません。結果はご自身で選択します。",
    outcome: "結果",
    outcomes: {
      approved: "承認",
      rejected: "却下",
      resubmission_requested: "再提出の依頼",
      in_review: "審査中",
      expired: "期限切れ",
    },
    submit: "提出する",
  },
  failures: {
    refused: "回答を受け付けられませんでした。内容をご確認のうえ、もう一度提出してください。",
    notSent: "回答を送信できませんでした。入力内容は残っています。接続を確認して、もう一度提出してください。",
    notSentOn: "移動できませんでした。接続を確認して、もう一度お試しください。",
    notAWallet:
      "このアドレスはウォレットではなく、ウォレットのトークンを保管するアカウントです。ウォレット自体のアドレス用のリンクを会社に依頼してください。",
    providerUnavailable: (provider) =>
      `${provider} が現在応答していません。入力内容は失われていません。しばらくしてからもう一度お試しください。`,
    providerMissing: (provider) =>
      `${provider} に現在接続できません。後でもう一度お試しいただくか、リンクの送信者にお問い合わせください。`,
  },

  handedOver: {
    heading: "結果を待っています",
    news: "結果はここに表示されます。",
    finished: (provider) =>
      html`${provider} での手続きが完了しましたか。結果は自動的にここに表示されます。このページを閉じて、後で同じリンクを開くこともできます。`,
    unfinished: "まだ完了していない場合は、中断したところから続けられます。",
  },
  checking: {
    heading: "本人確認の審査中です",
    news: "結果はここに表示されます。",
    text: "結果は自動的にここに表示されます。このページを閉じて、後で同じリンクから確認することもできます。",
    reviewNews: "担当者が審査しています。このページを閉じてもかまいません。",
    reviewText: "担当者が審査しています。このページを閉じて、後で同じリンクから結果を確認できます。",
  },
  lost: "接続が切れました。再接続しています…",
  verified: {
    heading: "ウォレットの確認が完了しました",
    news: "手続きは完了しました。",
    text: (company) => html`${company} は今後この確認を利用できます。このページを閉じてもかまいません。`,
    explorer: "Solana Explorer でトランザクションを見る",
  },
  whatYouCanDo: "次にできること",
  rejected: {
    heading: "確認が承認されませんでした",
    news: "承認されませんでした。",
    happened: () => html`提出された内容を確認した結果、承認されませんでした。`,
    next: (company) => html`誤りだと思われる場合は ${company} にお問い合わせいただくか、新しいリンクをご依頼ください。`,
  },
  cancelled: {
    heading: "確認は中止されました",
    news: "受付は終了しました。",
    happened: (company) => html`${company} が、結果が出る前にこの確認を終了しました。`,
    next: (company) => html`誤りだと思われる場合は ${company} にお問い合わせいただくか、新しいリンクをご依頼ください。`,
  },
  revoked: {
    heading: "確認が取り消されました",
    news: "現在は無効です。",
    happened: () => html`このウォレットは確認済みでしたが、確認が取り消され、証明が削除されました。`,
    next: (company) => html`誤りだと思われる場合は ${company} にお問い合わせください。`,
  },
  expired: {
    heading: "確認の有効期限が切れました",
    news: "現在は無効です。",
    happened: () => html`このウォレットは確認済みでしたが、有効期限が切れました。`,
    next: (company) => html`引き続き確認が必要な場合は、${company} に新しいリンクをご依頼ください。`,
  },
  closed: {
    heading: "この確認は期限切れです",
    news: "受付は終了しました。",
    happened: () => html`ウォレットが確認される前に終了しました。`,
    next: (company) => html`引き続き確認が必要な場合は、${company} に新しいリンクをご依頼ください。`,
  },
  superseded: {
    heading: "確認が更新されました",
    news: "新しい確認に置き換えられました。",
    happened: () => html`このウォレットは再度確認されました。新しい確認が有効です。`,
    next: () => html`このページを閉じてもかまいません。`,
  },
  unknown: {
    heading: "本人確認が見つかりません",
    text: "このアドレスに該当する本人確認はありません。",
    next: "リンクが途中で切れていないかご確認いただくか、送信元の会社に新しいリンクをご依頼ください。",
  },
  failed: {
    heading: "ページを読み込めませんでした",
    text: "現在サービスを利用できません。自動的に再試行しています。",
    retry: "もう一度試す",
  },

  back: {
    link: (host) => html`${host} に戻る`,
    announced: (host) => `このページに留まらない場合、{time}後に ${host} に戻ります。`,
    counting: "{time}後に戻ります",
    stay: "このページに留まる",
  },
  reasons: {
    documents_unreadable: {
      why: "書類を読み取れませんでした。",
      next: "有効期限内の書類を、全体がはっきり写るように撮影してご使用ください。",
    },
    information_mismatch: {
      why: "入力された情報が一致しませんでした。",
      next: "書類に記載されているとおりに入力してください。",
    },
    not_eligible: {
      why: "この確認の要件を満たしていません。",
      next: "要件については、依頼元の会社にお問い合わせください。",
    },
    withdrawn: {
      why: "確認が取り下げられました。",
      next: "詳しくは、依頼元の会社にお問い合わせください。",
    },
    resubmit: {
      why: "前回の提出では判断できませんでした。",
      next: "回答をご確認のうえ、もう一度提出してください。",
    },
    unverifiable: {
      why: "情報を確認できませんでした。",
      next: "対応については、依頼元の会社にお問い合わせください。",
    },
  },

  renewal: {
    heading: "本人確認の更新",
    text: (company) =>
      html`${company} 向けの本人確認は、まもなく期限が切れます。有効な状態を保つには更新してください。期限までは現在の確認が有効です。`,
    over: (company) => html`${company} 向けの本人確認は期限が切れました。もう一度確認を行ってください。`,
    start: "今すぐ更新",
    notStarted: (company) =>
      `更新を開始できませんでした。後でもう一度お試しいただくか、${company} にお問い合わせください。`,
    stop: "お知らせを停止",
    stopped: "お知らせは停止されています。",
    notStopped: "お知らせを停止できませんでした。接続を確認して、もう一度お試しください。",
  },
  remind: {
    heading: "期限切れ前にお知らせを受け取る",
    text: "更新用リンクをメールでお送りします。アドレスは暗号化して保存し、ほかの目的には使わず、確認が終了した時点で削除します。",
    label: "メールアドレス",
    missing: "name@example.com のようなメールアドレスを入力してください。",
    submit: "お知らせを受け取る",
    done: "期限切れの前にメールでお知らせします。",
    notSent: "アドレスを保存できませんでした。接続を確認して、もう一度お試しください。",
  },
}
