import type { Entry, Step } from './layers.ts';

const menu = (entry: Step): Step[] => ['More actions', entry];

/** On pages of one address. */
const FIXED_ENTRIES: readonly Entry[] = [
  { title: 'New pet', of: 'parts/pets/new-pet.tsx', at: '/pets', steps: ['New pet'] },
  { title: 'On the map', of: 'pages/map/filter-dialog.tsx', at: '/map', steps: ['Filter'] },
  {
    title: 'Save this search',
    of: 'pages/search/save-search.tsx',
    at: '/search?q=2024',
    steps: ['Save this search'],
  },
  {
    title: 'When',
    of: 'pages/search/chip-dialog.tsx',
    at: '/search?q=2024',
    steps: [['Change {label}', { label: '2024' }]],
  },
  { title: 'New tag', of: 'pages/tags/tag-dialog.tsx', at: '/tags', steps: ['New tag'] },
  ...(
    [
      ['New tag below “{name}”', 'pages/tags/tag-dialog.tsx', 'New tag below'],
      ['Edit “{name}”', 'pages/tags/tag-dialog.tsx', 'Rename, color'],
      ['Move “{name}” below …', 'pages/tags/move-dialog.tsx', 'Move'],
      ['Delete the tag “{name}”?', 'pages/tags/tags-page.tsx', 'Delete'],
    ] as const
  ).map(([title, of, entry]): Entry => ({
    title,
    of,
    at: '/tags',
    steps: [['More about {name}', { name: 'Travel' }], entry],
  })),
  {
    title: 'Restore everything?',
    of: 'parts/trash/review-dialog.tsx',
    at: '/trash',
    steps: ['Restore all'],
  },
  {
    title: 'Empty the trash?',
    of: 'parts/trash/review-dialog.tsx',
    at: '/trash',
    steps: ['Empty trash'],
  },
  {
    title: 'Archive {total, plural, one {# item} other {# items}}?',
    of: 'parts/archive/archive-all.tsx',
    at: '/settings',
    steps: ['Archive everything'],
  },
  { title: 'New film', of: 'pages/studio/projects-page.tsx', at: '/studio', steps: ['New film'] },
  {
    title: 'Delete “{name}”?',
    of: 'pages/studio/projects-page.tsx',
    at: '/studio',
    steps: [['Delete {name}', { name: 'Holiday' }]],
  },
  {
    title: 'New from template',
    of: 'pages/workflows/new-workflow.tsx',
    at: '/workflows',
    steps: ['New from template'],
  },
  {
    title: 'Delete “{name}”?',
    of: 'pages/workflows/workflows-page.tsx',
    at: '/workflows',
    steps: [['Delete {name}', { name: 'Hearts' }]],
  },
  {
    title: 'Run “{name}” for all your photos?',
    of: 'pages/workflows/backfill.tsx',
    at: '/workflows',
    steps: ['Run for existing photos'],
  },

  {
    title: 'Back up your phone',
    of: 'parts/setup/phone-app-dialog.tsx',
    at: '/settings',
    steps: ['Back up your phone'],
  },
  { title: 'Set a PIN', of: 'pages/settings/pin.tsx', at: '/settings', steps: ['Set a PIN'] },
  {
    title: 'Preference changes',
    of: 'pages/settings/preferences.tsx',
    at: '/settings',
    steps: ['What was changed'],
  },
  {
    title: 'New API key',
    of: 'pages/settings/api-keys.tsx',
    at: '/settings',
    steps: ['New key'],
  },
  {
    title: 'Share your timeline with {name}?',
    of: 'pages/settings/share-timeline.tsx',
    at: '/settings',
    steps: [
      (page, say) =>
        page.getByLabel(say('Share my timeline with'), { exact: true }).selectOption({ index: 1 }),
    ],
  },
  {
    title: 'More about {name}',
    of: 'pages/tags/tags-page.tsx',
    at: '/tags',
    steps: [['More about {name}', { name: 'Travel' }]],
    layer: '[role=menu]',
  },
];

/** Returns the dialogs and menus of people, memories, tags, films, workflows and settings. */
export function listSubjectEntries(find: (start: string) => string): Entry[] {
  const person = find('/people/');
  const pet = find('/pets/');
  const memory = find('/memories/');
  return [
    {
      title: 'Birth date',
      of: 'pages/people/person-head.tsx',
      at: person,
      steps: ['Add a birth date'],
    },
    { title: 'History', of: 'pages/people/history-dialog.tsx', at: person, steps: ['History'] },
    {
      title: 'Merge {person} with',
      of: 'pages/people/merge-dialog.tsx',
      at: person,
      steps: ['Merge with another'],
    },
    {
      title: 'Merge {pet} with',
      of: 'parts/pets/picker.tsx',
      at: pet,
      steps: ['Merge with another'],
    },
    {
      title: 'Correct the line',
      of: 'pages/documents/document-page.tsx',
      at: find('/documents/'),
      steps: [['Correct “{text}”', { text: 'Invoice' }]],
    },
    ...(
      [
        ['Edit title', 'pages/memories/player-menu.tsx', 'Edit title'],
        ['Edit pictures', 'pages/memories/pictures-dialog.tsx', 'Edit pictures'],
        ['Share as album', 'pages/memories/share-as-album.tsx', 'Share as album'],
        ['Export memory', 'pages/memories/export-dialog.tsx', 'Export'],
      ] as const
    ).map(([title, of, entry]) => ({ title, of, at: memory, steps: menu(entry) })),
    {
      title: 'Export film',
      of: 'pages/studio/export-dialog.tsx',
      at: find('/studio/'),
      steps: ['Export'],
    },
    {
      title: 'Share this film with the members of {album}?',
      of: 'pages/studio/properties.tsx',
      at: find('/studio/'),
      steps: [
        (page, say) =>
          page.getByLabel(say('Shared with the members of')).selectOption({ index: 1 }),
      ],
    },
    {
      title: 'More actions',
      of: 'pages/memories/player-menu.tsx',
      at: memory,
      steps: ['More actions'],
      layer: '[role=menu]',
    },
    ...FIXED_ENTRIES,
  ];
}

/** The last one: its page asks again when another one is opened. */
export const UNSAVED_ENTRY: Entry = {
  title: 'Leave without saving?',
  of: 'ui/use-unsaved-warning.tsx',
  at: '/workflows/new',
  steps: [(page) => page.locator('main input').first().fill('Unsaved'), 'Photos'],
};
