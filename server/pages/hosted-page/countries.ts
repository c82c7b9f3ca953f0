import { countryNames } from "#shared/countries.ts"
import type { Language } from "#shared/languages.ts"

/**
 * Readings of the Japanese names that begin with kanji. Japanese readers look a country up by its sound, which a
 * collation does not know: it sorts Japan after South Africa, and both after all names in kana.
 */
const readings: Readonly<Record<string, string>> = {
  AQ: "なんきょく",
  AS: "べいりょうさもあ",
  CF: "ちゅうおうあふりか",
  CN: "ちゅうごく",
  EH: "にしさはら",
  GF: "ふつりょうぎあな",
  GQ: "せきどうぎにあ",
  HK: "ほんこん",
  IO: "えいりょういんどよう",
  JP: "にほん",
  KP: "きたちょうせん",
  KR: "かんこく",
  MK: "きたまけどにあ",
  MP: "きたまりあな",
  PF: "ふつりょうぽりねしあ",
  SS: "みなみすーだん",
  TF: "ふつりょうきょくなん",
  TL: "ひがしてぃもーる",
  TW: "たいわん",
  UM: "がっしゅうこく",
  VG: "えいりょうゔぁーじん",
  VI: "べいりょうゔぁーじん",
  ZA: "みなみあふりか",
}

/** All countries, in the order in which a reader of the language expects them. */
export function countriesFor(language: Language): { code: string; name: string }[] {
  const countries = countryNames(language)
  if (language !== "ja") return countries
  const { compare } = new Intl.Collator(language)
  const soundOf = ({ code, name }: { code: string; name: string }) => readings[code] ?? name
  return countries.sort((one, other) => compare(soundOf(one), soundOf(other)))
}
