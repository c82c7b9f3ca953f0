import type { Mail } from "#domain/people"
import { linkless } from "#server/lib/linkless.ts"
import { directionOf, type Language, localeOf } from "#shared/languages.ts"
import type { Mode } from "#shared/mode.ts"
import { timeFormat } from "#shared/time-format.ts"

const RIGHT_TO_LEFT_MARK = "\u200f"

type Reminded = Pick<Facts, "company" | "wallet" | "url"> & {
  schema_name: string
  expires_at: Date
  language: Language | null
  mode: Mode
}
type Facts = {
  company: string
  check: string
  wallet: string
  /** The day in UTC, for the subject. */
  date: string
  /** The same to the minute, with the zone: the reader's is unknown. */
  time: string
  url: string
  host: string
}

/** The mail in each language. Each is a whole text, because word order differs. */
const texts: Record<Language, { subject: (facts: Facts) => string; text: (facts: Facts) => string }> = {
  en: {
    subject: ({ company, date }) => `Renew your verification for ${company} by ${date}`,
    text: ({ company, check, wallet, time, url, host }) => `Your verification for ${company} expires on ${time}.

Check: ${check}
Wallet: ${wallet}

To stay verified, renew it here:
${url}

Your wallet stays verified while you renew. On the same page you can turn these reminders off.

You get this email because someone asked for it when the wallet was verified on ${host}. ${host} never asks for your recovery phrase.`,
  },
  es: {
    subject: ({ company, date }) => `Renueve su verificación para ${company} antes del ${date}`,
    text: ({ company, check, wallet, time, url, host }) => `Su verificación para ${company} vence el ${time}.

Comprobación: ${check}
Wallet: ${wallet}

Para seguir verificado, renuévela aquí:
${url}

Su wallet sigue verificada mientras la renueva. En la misma página puede desactivar estos recordatorios.

Recibe este correo porque se pidió al verificar la wallet en ${host}. ${host} nunca le pide su frase de recuperación.`,
  },
  de: {
    subject: ({ company, date }) => `Verlängern Sie Ihre Verifizierung für ${company} bis ${date}`,
    text: ({ company, check, wallet, time, url, host }) => `Ihre Verifizierung für ${company} läuft am ${time} ab.

Prüfung: ${check}
Wallet: ${wallet}

Um verifiziert zu bleiben, verlängern Sie sie hier:
${url}

Ihre Wallet bleibt währenddessen verifiziert. Auf derselben Seite können Sie diese Erinnerungen abstellen.

Sie erhalten diese E-Mail, weil sie bei der Verifizierung der Wallet auf ${host} gewünscht wurde. ${host} fragt nie nach Ihrer Wiederherstellungsphrase.`,
  },
  fr: {
    subject: ({ company, date }) => `Renouvelez votre vérification pour ${company} avant le ${date}`,
    text: ({ company, check, wallet, time, url, host }) => `Votre vérification pour ${company} expire le ${time}.

Contrôle : ${check}
Wallet : ${wallet}

Pour rester vérifié, renouvelez-la ici :
${url}

Votre wallet reste vérifié pendant le renouvellement. Sur la même page, vous pouvez désactiver ces rappels.

Vous recevez cet e-mail parce qu’il a été demandé lors de la vérification du wallet sur ${host}. ${host} ne demande jamais votre phrase de récupération.`,
  },
  pt: {
    subject: ({ company, date }) => `Renove sua verificação para ${company} até ${date}`,
    text: ({ company, check, wallet, time, url, host }) => `Sua verificação para ${company} expira em ${time}.

Verificação: ${check}
Carteira: ${wallet}

Para continuar verificado, renove-a aqui:
${url}

Sua carteira continua verificada durante a renovação. Na mesma página, você pode desativar estes lembretes.

Você recebe este e-mail porque ele foi solicitado quando a carteira foi verificada em ${host}. ${host} nunca pede sua frase de recuperação.`,
  },
  ja: {
    subject: ({ company, date }) => `${company} の本人確認を ${date} までに更新してください`,
    text: ({ company, check, wallet, time, url, host }) => `${company} の本人確認は ${time} に期限が切れます。

確認の種類：${check}
ウォレット：${wallet}

引き続き確認済みでいるには、こちらから更新してください：
${url}

更新中もウォレットは確認済みのままです。同じページでこのお知らせを停止できます。

このメールは、${host} でウォレットを確認した際にご希望いただいたためお送りしています。${host} がリカバリーフレーズをお尋ねすることはありません。`,
  },
  ar: {
    subject: ({ company, date }) => `يُرجى تجديد التحقق لدى ${company} قبل ${date}`,
    text: ({ company, check, wallet, time, url, host }) => `تنتهي صلاحية التحقق الخاص بك لدى ${company} في ${time}.

نوع التحقق: ${check}
المحفظة: ${wallet}

كي يبقى التحقق ساريًا، يُرجى تجديده هنا:
${url}

يظل التحقق من محفظتك ساريًا أثناء التجديد. ويمكنك إيقاف رسائل التذكير من الصفحة نفسها.

وصلتك هذه الرسالة لأنها طُلبت عند التحقق من المحفظة على ${host}. ولا يطلب ${host} عبارة الاسترداد الخاصة بك أبدًا.`,
  },
}

export function renewalMail(reminded: Reminded): Omit<Mail, "to"> {
  const language = reminded.language ?? "en"
  const inUtc = (format: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(localeOf(language), { ...format, timeZone: "UTC" }).format(reminded.expires_at)
  const facts: Facts = {
    company: linkless(reminded.company),
    check: linkless(reminded.schema_name),
    wallet: reminded.wallet,
    date: inUtc({ dateStyle: "long" }),
    time: inUtc({ ...timeFormat, month: "long" }),
    url: reminded.url,
    host: new URL(reminded.url).host,
  }
  const { subject, text } = texts[language]
  // Mail clients take the direction from the first letter, which would be that of "Test".
  const start = directionOf(language) === "rtl" ? RIGHT_TO_LEFT_MARK : ""
  const mode = reminded.mode === "test" ? `${start}[Test] ` : ""
  return { subject: `${mode}${subject(facts)}`, text: `${text(facts)}\n` }
}
