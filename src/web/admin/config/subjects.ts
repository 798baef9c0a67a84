import type { AdminConfig } from '../../types.ts';
import { t } from '../../i18n.ts';

type Leaf = string | number | boolean | null | readonly unknown[];
type PathIn<T> = {
  [Name in keyof T & string]: T[Name] extends Leaf ? Name : `${Name}.${PathIn<T[Name]>}`;
}[keyof T & string];

/** Of a member of the configuration, as 'trash.days'. */
export type ConfigPath = PathIn<AdminConfig>;

type Control =
  | { readonly kind: 'switch' | 'number' | 'text' | 'long-text' }
  | { readonly kind: 'choice'; readonly options: Readonly<Record<string, string>> };

export type Member = Control & {
  readonly path: ConfigPath;
  readonly title: string;
  readonly help?: string;
};

export type Subject = {
  readonly id: string;
  readonly title: string;
  readonly help?: string;
  readonly members: readonly Member[];
};

/** The members of the configuration that have an effect on this server, by subject. */
export const SUBJECTS: readonly Subject[] = [
  {
    id: 'server',
    title: t('Server'),
    members: [
      {
        path: 'server.externalDomain',
        kind: 'text',
        title: t('Address of this page'),
        help: t('Links in mail and shared links begin with it.'),
      },
      {
        path: 'server.loginPageMessage',
        kind: 'long-text',
        title: t('Message on the login page'),
        help: t('Everybody can read it without an account.'),
      },
      {
        path: 'server.publicUsers',
        kind: 'switch',
        title: t('Accounts see each other'),
        help: t('Switched off, nobody finds other accounts to share with.'),
      },
      {
        path: 'theme.customCss',
        kind: 'long-text',
        title: t('Custom CSS'),
        help: t('Passed on to apps that use it. This page does not.'),
      },
    ],
  },
  {
    id: 'deletion',
    title: t('Trash and deleted accounts'),
    members: [
      {
        path: 'trash.days',
        kind: 'number',
        title: t('Days in the trash'),
        help: t('0 keeps items until the trash is emptied.'),
      },
      {
        path: 'user.deleteDelay',
        kind: 'number',
        title: t('Days until a deleted account is removed'),
        help: t('Until then it can be restored.'),
      },
    ],
  },
  {
    id: 'recognition',
    title: t('Recognition'),
    help: t('When it is switched on again, it catches up on what it has missed.'),
    members: [
      {
        path: 'machineLearning.enabled',
        kind: 'switch',
        title: t('Recognise what photos show'),
        help: t('Switched off, none of the following runs.'),
      },
      {
        path: 'machineLearning.clip.enabled',
        kind: 'switch',
        title: t('Smart search'),
        help: t('Makes photos findable by what they show'),
      },
      {
        path: 'machineLearning.facialRecognition.enabled',
        kind: 'switch',
        title: t('Faces'),
        help: t('Finds faces in photos'),
      },
      {
        path: 'machineLearning.facialRecognition.minFaces',
        kind: 'number',
        title: t('Fewest faces of a person'),
        help: t('Apps leave out people who are seen less often. This page does not.'),
      },
      {
        path: 'machineLearning.ocr.enabled',
        kind: 'switch',
        title: t('Text in pictures'),
        help: t('Reads what is written in photos'),
      },
      {
        path: 'machineLearning.duplicateDetection.enabled',
        kind: 'switch',
        title: t('Duplicates'),
        help: t('Finds pictures that look the same'),
      },
    ],
  },
  {
    id: 'places',
    title: t('Map and places'),
    members: [
      {
        path: 'map.enabled',
        kind: 'switch',
        title: t('Map'),
        help: t('Shows where photos were taken.'),
      },
      {
        path: 'reverseGeocoding.enabled',
        kind: 'switch',
        title: t('Names of places'),
        help: t('Finds the town and country of coordinates, on this server.'),
      },
    ],
  },
  {
    id: 'memories',
    title: t('Memories'),
    members: [
      {
        path: 'nightlyTasks.generateMemories',
        kind: 'switch',
        title: t('New memories each night'),
        help: t('Those that exist already stay.'),
      },
    ],
  },
];
