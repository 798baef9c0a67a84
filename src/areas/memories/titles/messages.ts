import type { Language } from '../../../core/languages.ts';

/** Texts of generated titles. '{name}' is the name of the person or pet. */
type Messages = {
  readonly birthday: string;
  readonly moments: string;
  readonly unnamedPerson: string;
  readonly unnamedPet: string;
};

export const MESSAGES: Readonly<Record<Language, Messages>> = {
  en: {
    birthday: '{name}’s birthday',
    moments: 'Moments with {name}',
    unnamedPerson: 'A familiar face',
    unnamedPet: 'Your pet',
  },
  de: {
    birthday: 'Geburtstag von {name}',
    moments: 'Momente mit {name}',
    unnamedPerson: 'Ein bekanntes Gesicht',
    unnamedPet: 'Dein Haustier',
  },
  fr: {
    birthday: 'Anniversaire : {name}',
    moments: 'Moments avec {name}',
    unnamedPerson: 'Un visage familier',
    unnamedPet: 'Votre animal',
  },
  es: {
    birthday: 'Cumpleaños de {name}',
    moments: 'Momentos con {name}',
    unnamedPerson: 'Una cara conocida',
    unnamedPet: 'Tu mascota',
  },
  nl: {
    birthday: 'Verjaardag van {name}',
    moments: 'Momenten met {name}',
    unnamedPerson: 'Een bekend gezicht',
    unnamedPet: 'Je huisdier',
  },
  pl: {
    birthday: 'Urodziny: {name}',
    moments: 'Wspólne chwile: {name}',
    unnamedPerson: 'Znajoma twarz',
    unnamedPet: 'Twój zwierzak',
  },
  it: {
    birthday: 'Compleanno di {name}',
    moments: 'Momenti con {name}',
    unnamedPerson: 'Un volto familiare',
    unnamedPet: 'Il tuo animale',
  },
  'pt-BR': {
    birthday: 'Aniversário de {name}',
    moments: 'Momentos com {name}',
    unnamedPerson: 'Um rosto conhecido',
    unnamedPet: 'Seu pet',
  },
  'zh-CN': {
    birthday: '{name}的生日',
    moments: '与{name}的时光',
    unnamedPerson: '熟悉的面孔',
    unnamedPet: '你的宠物',
  },
  ja: {
    birthday: '{name}の誕生日',
    moments: '{name}との思い出',
    unnamedPerson: '見覚えのある顔',
    unnamedPet: 'あなたのペット',
  },
};
