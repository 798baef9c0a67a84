import type { Language } from '../../../core/languages.ts';

/** Texts of generated titles. '{name}' is the name of the person or pet. */
type Messages = {
  readonly birthday: string;
  readonly moments: string;
  readonly unnamedPerson: string;
  readonly unnamedPet: string;
  /** '{year}' is the year. */
  readonly bestOfYear: string;
};

export const MESSAGES: Readonly<Record<Language, Messages>> = {
  en: {
    birthday: '{name}’s birthday',
    moments: 'Moments with {name}',
    unnamedPerson: 'A familiar face',
    unnamedPet: 'Your pet',
    bestOfYear: 'Best of {year}',
  },
  de: {
    birthday: 'Geburtstag von {name}',
    moments: 'Momente mit {name}',
    unnamedPerson: 'Ein bekanntes Gesicht',
    unnamedPet: 'Dein Haustier',
    bestOfYear: 'Das Beste aus {year}',
  },
  fr: {
    birthday: 'Anniversaire : {name}',
    moments: 'Moments avec {name}',
    unnamedPerson: 'Un visage familier',
    unnamedPet: 'Votre animal',
    bestOfYear: 'Le meilleur de {year}',
  },
  es: {
    birthday: 'Cumpleaños de {name}',
    moments: 'Momentos con {name}',
    unnamedPerson: 'Una cara conocida',
    unnamedPet: 'Tu mascota',
    bestOfYear: 'Lo mejor de {year}',
  },
  nl: {
    birthday: 'Verjaardag van {name}',
    moments: 'Momenten met {name}',
    unnamedPerson: 'Een bekend gezicht',
    unnamedPet: 'Je huisdier',
    bestOfYear: 'Het beste van {year}',
  },
  pl: {
    birthday: 'Urodziny: {name}',
    moments: 'Wspólne chwile: {name}',
    unnamedPerson: 'Znajoma twarz',
    unnamedPet: 'Twój zwierzak',
    bestOfYear: 'Najlepsze z {year}',
  },
  it: {
    birthday: 'Compleanno di {name}',
    moments: 'Momenti con {name}',
    unnamedPerson: 'Un volto familiare',
    unnamedPet: 'Il tuo animale',
    bestOfYear: 'Il meglio del {year}',
  },
  'pt-BR': {
    birthday: 'Aniversário de {name}',
    moments: 'Momentos com {name}',
    unnamedPerson: 'Um rosto conhecido',
    unnamedPet: 'Seu pet',
    bestOfYear: 'O melhor de {year}',
  },
  'zh-CN': {
    birthday: '{name}的生日',
    moments: '与{name}的时光',
    unnamedPerson: '熟悉的面孔',
    unnamedPet: '你的宠物',
    bestOfYear: '{year}年精选',
  },
  ja: {
    birthday: '{name}の誕生日',
    moments: '{name}との思い出',
    unnamedPerson: '見覚えのある顔',
    unnamedPet: 'あなたのペット',
    bestOfYear: '{year}年のベスト',
  },
};
