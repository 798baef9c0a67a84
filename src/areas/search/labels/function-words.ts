// Words that show nothing, folded, by language and kind: the one list of them. A word that names a thing in another
// language ('mes' is a knife in Dutch) is one of a kind only beside others of its language.

import { fold } from '../../../core/fold-text.ts';

type Kinds = {
  /**
   * Articles, prepositions and conjunctions: they tell the language of a query. The commonest ones, without those that
   * are common words of another language.
   */
  readonly functions: string;
  /** Pronouns, auxiliaries and the like. */
  readonly fillers: string;
  /** They ask for pictures without saying for which. */
  readonly requests: string;
  /** They say that several are on one picture. */
  readonly together: string;
  /** They exclude the term after them. */
  readonly negations: string;
  /** They list one more. */
  readonly conjunctions: string;
};
export type WordKind = keyof Kinds;

const WORDS: Readonly<Record<string, Kinds>> = {
  de: {
    functions: `am auf aus bei beim dem den der die das des ein eine einem einen einer im in ins mit nach neben oder uber
      und unter vom von vor zu zum zur`,
    fillers: `alle allen aller als auch bitte da dabei dabeihaben darauf denen deren dessen du er es fur gibt habe haben hat
      hatte ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ist jahr jahre man mein meine meinem meinen meiner mich mir
      nur sein seine seinem seinen seiner sie sieht sind so unser unsere unserem unseren unserer uns wahrend war waren
      was welche wem wen wer wie wir wird wo worauf wurde wurden an gemacht aufgenommen gewesen drauf sehen zeigen
      zeigt urlaub ferien reise ausflug allein alleine abend morgens alles gesehen fotografiert geknipst gefilmt
      entdeckt getroffen besucht kannst konntest konnten konnen mochte weisst erinnerst noch mal damals neulich
      letztens besuch kurztrip irgendwas etwas eigentlich anfang ende mitte aber andere anderen anderer sonst bisschen`,
    requests: `aufnahmen bild bilder bildern find finde foto fotos gib schnappschusse suche such zeig zeige`,
    together: `beide beiden beider gemeinsam gemeinsame gemeinsamen miteinander nebeneinander sowohl zusammen`,
    negations: `ohne kein keine keinen keinem keiner nicht ausser abzuglich`,
    conjunctions: `und oder sowie`,
  },
  en: {
    functions: `a an and at by for from in near of on or the to under with`,
    fillers: `all am any are around as be been but did do does during every found get give got had has have he her here him
      his how i is it its just me my next our out over please see she so some such taken taking than that their them
      then there these they this those us was we were what when where which while who whom whose wo year years you
      your s holiday holidays vacation vacations alone visit everything anything something everyone everybody himself
      herself themselves itself myself ourselves own could would photographed visited remember somewhere seen holding
      wearing showing early late everywhere perhaps maybe um`,
    requests: `display find image images list look pic pics photo photograph photographs photos picture pictures
      search show shot shots snap snaps snapshot snapshots`,
    together: `both jointly together`,
    negations: `without not no except excluding minus`,
    conjunctions: `and or`,
  },
  es: {
    functions: `al con de del el en entre junto la las los o para por sin sobre un una unas unos y`,
    fillers: `a aparece aparecen cada cual cuando cuyo donde e ella ellas ellos es esa ese esta estaba estaban estan este esto
      fue fueron hay he hemos la le les lo me mi mis nos nosotros nuestra nuestras nuestro nuestros ha han pero que
      quien sale salen se ser si solo son su sus te tengo todas todo todos tu tus u ver yo durante desde cerca
      vacaciones viaje viajes excursion sola solas solos tarde visto vista vistos vimos sacamos hicimos fotografiado
      fotografiamos estuvimos fuimos recuerdas acuerdas puedes podrias quiero aquel aquella aquellas aquellos esas
      esos visita escapada algo oye favor tenemos grabo hizo finales principios mediados buscame`,
    requests: `busca buscar dame encuentra ensena ensename fotografia fotografias foto fotos imagen imagenes muestra
      muestrame muestranos mostrar`,
    together: `ambas ambos juntas juntos`,
    negations: `sin excepto salvo menos no`,
    conjunctions: `y e o`,
  },
  fr: {
    functions: `a au aux avec ce dans de des du en et la le les ou par pour sous sur un une`,
    fillers: `ai as aupres c chez cet cette ces ceux d dont elle elles entre est etaient etait etre ete eu ici il ils j je l
      leur leurs lors lui m ma mais mes moi mon n ne nos notre nous on ont parmi pendant pres qu quand que qui s sa se
      ses son sont soient ta te tes toi ton tous tout toute toutes tu vers voir vois vos votre vous y durant prise
      prises pris montrant vacances voyage voyages sejour excursion seule seules seuls seul soir vu vue vus vues
      photographie photographiee tourne tournee tournees tournes visite filmee filmees peux pourrais voudrais veux
      souviens rappelles quelque chose devant derriere depuis debut joue jouent faite faites fait revoir aimerais
      possible`,
    requests: `affiche affichez cherche chercher cliche cliches donne image images montrer montrez photo photos
      photographie photographies recherche trouve trouver`,
    together: `ensemble`,
    negations: `sans sauf hormis excepte`,
    conjunctions: `et ou`,
  },
  it: {
    functions: `a al alla alle con da dal dalla dei del della delle di e gli i il in la le lo nel nella o per su sul sulla
      un una uno`,
    fillers: `abbiamo all dall dell nell sull d l agli ai allo ascolta c ce che chi ci come cui degli dello dai dove durante
      ed era erano essere fu ha hai hanno ho in io loro ma me mi mia mie miei mio negli nei nelle nello noi nostra
      nostre nostri nostro ogni per quale quali quando quella quelle quelli quello questa queste questi questo se si
      sia solo sono sua sue sui suo suoi te ti tra fra tu tua tutte tutti tutto vi vicino voglio scattate scattata c'e
      vacanza vacanze viaggio viaggi gita sola sole soli sera serata visto visti viste vedemmo fotografato fotografati
      girato girati girate puoi potresti vorrei ricordi ricordate quel quei visita qualcosa quell sotto sopra fai
      favore eravamo trovo piu perche qualche altra altri altre col coi inizio fine poi`,
    requests: `cerca cercami dammi foto fotografia fotografie immagine immagini mostra mostrami mostraci mostrare trova
      trovami vedere`,
    together: `assieme entrambe entrambi insieme`,
    negations: `senza tranne eccetto salvo non`,
    conjunctions: `e ed o`,
  },
  ja: {
    functions: `が で と に の は へ も や を 一つの`,
    fillers: `い いた いて いる か さん した して する ちゃん った って て た だ です どこ な なに ください から まで ね よ
      私 私たち 僕 見 せ せて 撮 撮影 っ 撮った 写 写った 入 り ました まし ます けど その この あの とき 時 さ れ くん 君
      旅行 休暇 たけ のみ ひとり 一人 旅`,
    requests: `写真 画像 フォト 見せて 表示 探して 検索 しゃしん`,
    together: `一緒 いっしょ 一緒に 共に 両方 二人`,
    negations: ``,
    conjunctions: `と や または か`,
  },
  nl: {
    functions: `aan bij dat de een en het in met naar of om op over te tussen uit van voor`,
    fillers: `alle als bent ben dan deze die dit door elk elke er geweest had hadden hebben hebt heb heeft hem hen haar hun ik
      is je jij jouw kan maar me mij mijn naast nabij niet ons onze rond s staan staat t tijdens toen tot u uw waar
      waarop wat was waren we wel welke werd wie wij ze zie zien zij zijn zo zoals gemaakt genomen jaar vakantie
      vakanties reis reisje uitstapje alleen avond gezien zagen gefotografeerd gefilmd weet nog herinner kun kunt
      kunnen zou alles iets eentje uitje bezoek z begin eind iemand ook alweer zoeken buurt daarvan`,
    requests: `afbeelding afbeeldingen beeld beelden foto fotos geef kiekjes laat plaatje plaatjes toon vind zoek`,
    together: `allebei beide samen tezamen`,
    negations: `zonder behalve geen niet uitgezonderd`,
    conjunctions: `en of`,
  },
  pl: {
    functions: `bez dla do i lub na nad o od oraz pod po przed przy u w we z za ze`,
    fillers: `a albo ale bo byc byl byla bylo byly czy gdy gdzie go ich ja jak jako jest jestem jej jego ku ktora ktore
      ktorego ktorej ktory ktorych ktorym ktorymi kto ma mam mamy mi mna mnie moich moim moj moja moje mojego mojej
      mojemu moimi my nam nas nasz nasza nasze naszego naszej naszych nimi niej nim nich oni ona one on podczas ro
      roku sa sie ta tam te ten tej tego to tu ty twoj tylko tych tym wsrod wszystkie wszystkich wy co cos obok kolo
      wakacje wakacji wakacjach urlop urlopie podroz podrozy wycieczka wycieczki sam sama same wieczorem wyjazd
      wyjazdu wyjazdy wyjezdzie widzielismy widzialem widzialam zrobilismy sfotografowalismy pamietasz mozesz zadnych
      zadnego zadnej zaden zadna jednym jednej wszystko bylismy pojechalismy prosze poczatku koncu ktos stoi kiedy
      ostatni raz najlepiej sprzed`,
    requests: `fotka fotki fotek fotografia fotografie fotografii obraz obrazy obrazow pokaz pokazac pokazcie poszukaj
      szukaj wyswietl zdjec zdjecia zdjecie zdjeciach zdjeciu znajdz`,
    together: `oboje obie obu razem wspolnie wspolne`,
    negations: `bez oprocz procz poza nie`,
    conjunctions: `i oraz lub albo`,
  },
  pt: {
    functions: `a ao aos as com da das de do dos e em entre na nas no nos o os ou para por sobre um uma`,
    fillers: `aparece aparecem cada como cujo dela dele deles durante ela elas ele eles era eram essa esse esta estao estava
      estavam este eu foi foram fui ha isso isto la lhe mas me meu meus mim minha minhas nossa nossas nosso nossos num
      numa nuns numas onde pela pelas pelo pelos perto pra que quem quando se ser seu seus so somente sua suas tem
      temos tenho teu tua todas todo todos tu uns umas vos tirada tiradas ferias viagem viagens passeio vimos
      fotografamos fotografei tiramos fizemos estivemos fomos lembras lembra lembro podes pode poderia quero queria
      tirou mais ninguem inicio fim aquela aquelas aquele aqueles visita visto tudo algo sozinha sozinho sozinhas
      sozinhos noitinha`,
    requests: `acha ache busca busque encontra encontre exiba fotografia fotografias foto fotos imagem imagens mostra
      mostre mostrar procura procure ver`,
    together: `ambas ambos juntas juntos`,
    negations: `sem exceto menos nao salvo`,
    conjunctions: `e ou`,
  },
  ru: {
    functions: `в во и из к на о об от по под при с со у за для до между над`,
    fillers: `а бы был была были было быть вместо все всех где год года году да его ее ему если есть еще же или их как которая
      которого которой котором которую которые который которых кто ли меня мне мной мои моих мой моя моей моего мое мы
      нам нами нас наш наша наше наши нее него ней нем ним них но она они оно он около пока рядом свои своей сам себя
      только тот там то ты это эта эти этот что я возле время отпуск отпуске каникулы каникулах поездка поездке
      путешествие один одна одни хочу хотим хотелось можно можешь помнишь какой какая какие нужно видели видно сделал
      сделали снял сняла сняли`,
    requests: `дай изображение изображения картинки найди найти показать покажи покажите поиск снимки снимок фото
      фотки фотографии фотографий фотографию фотография`,
    together: `вдвоем вместе оба обе совместно`,
    negations: `без кроме не нет`,
    conjunctions: `и или`,
  },
  zh: {
    functions: `与 上 下 个 中 了 在 里 和 有 的 着 一个 一只 一条 一张`,
    fillers: `我 我的 我们 你 他 她 它 们 是 这 那 这些 那些 所有 把 被 给 从 到 去 来 跟 同 及 拍 拍的 拍摄 时 时候 请 找 想 看 看看 都
      在哪 哪里 什么 谁 于
      旅行 度假 假期 旅游 只有 一个人 独自 单独 上面 骑 戴 应该 帮 帮我 一下 张 次 那张 那次 看到 见到 记得`,
    requests: `照片 相片 图片 图像 显示 查找 搜索 给我看 找出`,
    together: `一起 一同 一块 两人 合影 合照`,
    negations: `没有 没 不含 除了 不要 无 不是 除 排除`,
    conjunctions: `和 或 与 跟 及`,
  },
};

/** Words of the lists that name a thing in some language: they are taken for it unless others tell the language. */
const THINGS = `agli ai albo bez bij busca but cerca como dal dame dan dans donne door dos esse haar hai han hat hay
  hen jak kan kolo las loro los mais man mas menos met minus nas no nos oboje onde os par para pela pelas pelo
  pelos per pero pod pres sale ser sobre solo son sono sus te ten ton tot tutti uber van ver vers vos`;

const parse = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).map(fold));
const THING_WORDS = parse(THINGS);

/** Words by language, the languages that have none of the kind left out. */
const getWords = (kind: WordKind): Readonly<Record<string, ReadonlySet<string>>> =>
  Object.fromEntries(
    Object.entries(WORDS).map(([language, words]) => [language, parse(words[kind])]),
  );
const union = (...kinds: readonly WordKind[]): ReadonlySet<string> =>
  new Set(kinds.flatMap((kind) => Object.values(getWords(kind)).flatMap((words) => [...words])));

export const FUNCTION_WORDS = getWords('functions');
/** In all languages. */
export const NEGATIONS = union('negations');
export const CONJUNCTIONS = union('conjunctions');

const NEGATIONS_BY_LANGUAGE = getWords('negations');

/** Returns whether a word excludes what follows in a language: 'no' is 'in the' in Portuguese. */
export const isNegation = (folded: string, language: string): boolean =>
  (NEGATIONS_BY_LANGUAGE[language]?.has(folded) ?? false) ||
  (NEGATIONS.has(folded) && !(FUNCTION_WORDS[language]?.has(folded) ?? false));

const FUNCTIONS = union('functions');
/** Returns whether a folded word is an article, a preposition or the like of any language. */
export const isFunctionWord = (folded: string): boolean => FUNCTIONS.has(folded);

const REQUESTS = union('requests');
const IDLE_KINDS = ['functions', 'fillers', 'requests', 'together', 'conjunctions'] as const;
const STOP_WORDS = union(...IDLE_KINDS).difference(THING_WORDS);

/** Returns whether a folded word asks for pictures without saying for which. */
export const isRequestWord = (folded: string): boolean =>
  REQUESTS.has(folded) && !THING_WORDS.has(folded);

/** Returns whether a folded word shows nothing, whatever the language; inside a semantic query it stays. */
export const isStopWord = (folded: string): boolean => STOP_WORDS.has(folded);

const LANGUAGES = Object.keys(WORDS);
const IDLE_WORDS = Object.values(WORDS).map(
  (words) => new Set(IDLE_KINDS.flatMap((kind) => [...parse(words[kind])])),
);

/** Returns the languages of which a query has the most words that show nothing; else the given one. */
export function listTellingLanguages(words: readonly string[], language?: string): string[] {
  const telling = words.filter((word) => STOP_WORDS.has(word));
  const counts = IDLE_WORDS.map(
    (idle, at) =>
      telling.filter((word) => idle.has(word)).length + (LANGUAGES[at] === language ? 0.5 : 0),
  );
  const most = Math.max(0.5, ...counts);
  return LANGUAGES.filter((_, at) => counts[at] === most);
}

/**
 * Returns whether a word shows nothing among all words of a query. Words that name a thing in another language show
 * nothing if the other words, or else `language`, are of theirs.
 */
export function createIdleTest(
  words: readonly string[],
  language: string | undefined,
): (folded: string) => boolean {
  const own = listTellingLanguages(words, language).map(
    (one) => IDLE_WORDS[LANGUAGES.indexOf(one)],
  );
  return (folded) => STOP_WORDS.has(folded) || own.some((idle) => idle?.has(folded));
}

/** Words by kind as patterns for folded text, of each language. */
export const listWordPatterns = (
  ...kinds: readonly (readonly WordKind[])[]
): readonly (readonly string[])[] =>
  Object.values(WORDS).map((words) =>
    kinds.map((some) => some.flatMap((kind) => [...parse(words[kind])].filter(Boolean)).join('|')),
  );
