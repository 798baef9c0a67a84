export const RELATIONS = [
  'self',
  'partner',
  'daughter',
  'son',
  'mother',
  'father',
  'sister',
  'brother',
  'grandmother',
  'grandfather',
  'granddaughter',
  'grandson',
  'aunt',
  'uncle',
  'niece',
  'nephew',
  'cousin',
  'friend',
] as const;
/** The relation of a person to the owner of the library. */
export type Relation = (typeof RELATIONS)[number];

const WORDS: readonly (readonly [readonly Relation[], string])[] = [
  [['self'], 'me myself mich mir moi mij mim'],
  [
    ['partner'],
    'wife husband partner girlfriend boyfriend fiance frau mann ehefrau ehemann partnerin',
  ],
  [
    ['partner'],
    'esposa esposo marido femme mari epouse moglie marito vrouw zona maz mulher 妻 夫 妻子 丈夫',
  ],
  [['partner', 'friend'], 'freund freundin'],
  [
    ['daughter'],
    'daughter daughters tochter tochtern hija hijas fille filles figlia figlie dochter dochters',
  ],
  [['daughter'], 'corka corki corke filha filhas 娘 女儿'],
  [['son'], 'son sons sohn sohne hijo fils figlio zoon zonen zoons syn syna filho 息子 儿子'],
  [['daughter', 'son'], 'kid kids child children kind kinder kindern hijos enfant enfants figli'],
  [['daughter', 'son'], 'kinderen dziecko dzieci filhos 子供 子ども 孩子'],
  [
    ['mother'],
    'mother mom mum mommy mummy mutter mama mutti madre mere maman moeder matka mae 母 母亲 妈妈',
  ],
  [['father'], 'father dad daddy papa vater papi padre pere vader ojciec tata pai 父 父亲 爸爸'],
  [['mother', 'father'], 'parents eltern padres genitori ouders rodzice pais 両親 父母'],
  [['sister'], 'sister sisters schwester schwestern hermana hermanas soeur soeurs sorella sorelle'],
  [['sister'], 'zus zussen siostra siostry irma irmas 姉 妹 姐姐 妹妹'],
  [
    ['brother'],
    'brother brothers bruder hermano frere freres fratello broer broers brat irmao 兄 弟 哥哥 弟弟',
  ],
  [['sister', 'brother'], 'siblings geschwister geschwistern hermanos fratelli rodzenstwo irmaos'],
  [
    ['grandmother'],
    'grandmother grandma granny nana oma grossmutter abuela mamie nonna babcia 祖母 奶奶 外婆',
  ],
  [
    ['grandfather'],
    'grandfather grandpa granddad opa grossvater abuelo papy nonno dziadek 祖父 爷爷 外公',
  ],
  [
    ['grandmother', 'grandfather'],
    'grandparents grosseltern abuelos nonni grootouders dziadkowie avo avos',
  ],
  [
    ['granddaughter'],
    'granddaughter granddaughters enkelin enkelinnen enkeltochter nieta kleindochter wnuczka neta',
  ],
  [['grandson'], 'grandson grandsons enkelsohn enkel nieto kleinzoon wnuk neto'],
  [
    ['granddaughter', 'grandson'],
    'grandchild grandchildren grandkids enkelkind enkelkinder nietos',
  ],
  [['granddaughter', 'grandson'], 'kleinkinderen wnuki netos'],
  [['granddaughter', 'grandson', 'niece', 'nephew'], 'nipote nipoti'],
  [['aunt'], 'aunt auntie tante tia zia ciotka ciocia 阿姨'],
  [['uncle'], 'uncle onkel tio oncle zio oom wujek 叔叔'],
  [['niece'], 'niece nieces nichte nichten sobrina sobrinha'],
  [['nephew'], 'nephew nephews neffe neffen sobrino neveu sobrinho'],
  [['cousin'], 'cousin cousins cousine cousinen primo prima cugino cugina kuzyn kuzynka'],
  [
    ['friend'],
    'friend friends freunde freunden freundinnen amigo amiga amigos ami amie amis amico',
  ],
  [['friend'], 'amica amici vriend vriendin vrienden przyjaciel przyjaciolka 友達 朋友'],
];

/** Folded words in the languages of the page, for people with these relations. */
export const RELATION_WORDS: readonly (readonly [string, readonly Relation[]])[] = WORDS.flatMap(
  ([relations, words]) => words.split(' ').map((word) => [word, relations] as const),
);

/** Words that mean the own relative also without 'my'. */
export const FORMS_OF_ADDRESS: ReadonlySet<string> = new Set(
  'mom mum mommy mummy mama mutti dad daddy papa papi grandma granny nana oma grandpa granddad opa maman mamie papy'.split(
    ' ',
  ),
);
