// Articles, prepositions and conjunctions, folded: they show nothing, and tell the language of a query. The commonest
// ones, without those that are common words of another language.

const parse = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

export const FUNCTION_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  de: parse(`am auf aus bei beim dem den der die das des ein eine einem einen einer im in ins mit nach neben oder uber
    und unter vom von vor zu zum zur`),
  en: parse(`a an and at by for from in near of on or the to under with`),
  es: parse(`al con de del el en entre junto la las los o para por sin sobre un una unas unos y`),
  fr: parse(`a au aux avec ce dans de des du en et la le les ou par pour sous sur un une`),
  it: parse(`a al alla alle con da dal dalla dei del della delle di e gli i il in la le lo nel nella o per su sul sulla
    un una uno`),
  ja: parse(`が で と に の は へ も や を 一つの`),
  nl: parse(`aan bij dat de een en het in met naar of om op over te tussen uit van voor`),
  pl: parse(`bez dla do i lub na nad o od oraz pod po przed przy u w we z za ze`),
  pt: parse(
    `a ao aos as com da das de do dos e em entre na nas no nos o os ou para por sobre um uma`,
  ),
  zh: parse(`与 上 下 个 中 了 在 里 和 有 的 着 一个 一只 一条 一张`),
};
