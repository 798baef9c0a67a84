import { formatList, formatNumber } from '../../base/format.ts';
import type { Workflow, WorkflowLogEntry, WorkflowMethod } from '../types.ts';
import { type Config, getIdHint, type IdHint, listProperties, type SchemaNode } from './schema.ts';
import { getIntlTags, t } from '../../base/i18n.ts';

// The server names its methods in English only. Methods without a name here keep that one.

const SUNDAY_MS = Date.UTC(2023, 0, 1);
const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const weekdayFormat = new Intl.DateTimeFormat(getIntlTags(), { weekday: 'long', timeZone: 'UTC' });

const METHODS: Readonly<Record<string, string>> = {
  'immich-plugin-core#assetFileFilter': t('File name'),
  'immich-plugin-core#assetMissingTimeZoneFilter': t('Time zone is missing'),
  'immich-plugin-core#assetLocationFilter': t('Place'),
  'immich-plugin-core#assetDateFilter': t('Day taken'),
  'immich-plugin-core#assetTypeFilter': t('Photos or videos'),
  'immich-plugin-core#assetTagFilter': t('Tags'),
  'immich-plugin-core#filterPerson': t('People'),
  'immich-plugin-core#assetArchive': t('Move to the archive'),
  'immich-plugin-core#assetLock': t('Move to Locked'),
  'immich-plugin-core#assetVisibility': t('Move'),
  'immich-plugin-core#assetFavorite': t('Add to favorites'),
  'immich-plugin-core#assetAddToAlbums': t('Add to album'),
  'immich-plugin-core#assetAddTags': t('Add a tag'),
  'safelight#extensionFilter': t('File extension'),
  'safelight#cameraFilter': t('Camera or lens'),
  'safelight#deviceFilter': t('Device or API key that uploaded it'),
  'safelight#sizeFilter': t('File size in megabytes'),
  'safelight#dimensionsFilter': t('Dimensions in pixels'),
  'safelight#durationFilter': t('Length in seconds'),
  'safelight#weekdayFilter': t('Weekday'),
  'safelight#ageFilter': t('Age in days'),
  'safelight#favoriteFilter': t('Favorite'),
  'safelight#ratingFilter': t('Rating'),
  'safelight#albumFilter': t('Album'),
  'safelight#petFilter': t('Pet'),
  'safelight#textFilter': t('Text in pictures'),
  'safelight#documentFilter': t('Document'),
  'safelight#likenessFilter': t('Looks like a description'),
  'safelight#groupFilter': t('Combined filters'),
  'safelight#addToNamedAlbum': t('Add to an album by name'),
  'safelight#addNamedTags': t('Add tags by name'),
  'safelight#rate': t('Rate'),
  'safelight#describe': t('Add a description'),
  'safelight#notify': t('Notify me'),
  'safelight#stackBurst': t('Stack with its burst'),
  'safelight#shareToPersonAlbum': t('Share in an album of the person'),
  'safelight#webhook': t('Webhook'),
  'safelight#mail': t('Mail me'),
};

/** By name, or by method and name where a name says more than one thing. */
const FIELDS: Readonly<Record<string, string>> = {
  pattern: t('Text'),
  matchType: t('Comparison'),
  caseSensitive: t('Match case'),
  'immich-plugin-core#assetMissingTimeZoneFilter.inverse': t('Opposite: it has a time zone'),
  'immich-plugin-core#assetArchive.inverse': t('Opposite: move back to the timeline'),
  'immich-plugin-core#assetFavorite.inverse': t('Opposite: remove from favorites'),
  region: t('Name of the place'),
  country: t('Country'),
  state: t('State or province'),
  city: t('City'),
  coordinate: t('Distance from a point'),
  latitude: t('Latitude'),
  longitude: t('Longitude'),
  radius: t('Distance in km'),
  startDate: t('From'),
  endDate: t('To'),
  day: t('Day'),
  month: t('Month'),
  year: t('Year'),
  recurring: t('In any year'),
  allowedTypes: t('Kinds'),
  tags: t('Tags'),
  matching: t('How many of them'),
  personIds: t('People'),
  matchAny: t('One of them is enough'),
  visibility: t('Move to'),
  albumIds: t('Albums'),
  albumName: t('Name of the album if none is chosen'),
  extensions: t('Extensions'),
  min: t('At least'),
  max: t('At most'),
  shape: t('Orientation'),
  weekdays: t('Weekdays'),
  'safelight#favoriteFilter.inverse': t('Opposite: it is not a favorite'),
  'safelight#albumFilter.inverse': t('Opposite: it is in none of them'),
  'safelight#documentFilter.inverse': t('Opposite: it is not a document'),
  petIds: t('Pets'),
  combine: t('How many of them'),
  filters: t('Filters'),
  name: t('Name'),
  rating: t('Stars'),
  description: t('Description'),
  message: t('Message'),
  seconds: t('Seconds between photos'),
  userIds: t('Share with'),
  sentence: t('Sentence, for example: a dog at the beach'),
  minSimilarity: t('Minimum similarity, from 0 to 1'),
  url: t('Address'),
  subject: t('Subject'),
};

/** By value, or by field and value where a value says more than one thing. */
const VALUES: Readonly<Record<string, string>> = {
  contains: t('contains'),
  startsWith: t('begins with'),
  exact: t('is exactly'),
  regex: t('matches the regular expression'),
  IMAGE: t('Photos'),
  VIDEO: t('Videos'),
  AUDIO: t('Audio'),
  OTHER: t('Other'),
  all: t('All'),
  any: t('At least one'),
  none: t('None'),
  archive: t('Archive'),
  timeline: t('Timeline'),
  locked: t('Locked'),
  'shape.any': t('Any orientation'),
  landscape: t('Landscape'),
  portrait: t('Portrait'),
  square: t('Square'),
  ...Object.fromEntries(
    WEEKDAYS.map((day, at) => [day, weekdayFormat.format(SUNDAY_MS + at * DAY_MS)]),
  ),
};

const TEMPLATES: Readonly<Record<string, { title: string; text: string }>> = {
  'immich-plugin-core#screenshots-smart-album': {
    title: t('Archive screenshots'),
    text: t('Archives uploads with “screenshot” in their name and adds them to an album.'),
  },
  'immich-plugin-core#missing-timezone-smart-album': {
    title: t('Time zone is missing'),
    text: t('Collects items without a time zone in an album.'),
  },
  'safelight#receipts': {
    title: t('Receipts and invoices to an album'),
    text: t('Collects pictures of receipts and invoices.'),
  },
  'safelight#documents-archive': {
    title: t('Archive documents'),
    text: t('Keeps pictures of papers out of the timeline.'),
  },
  'safelight#places': {
    title: t('An album for each town and year'),
    text: t('Sorts what has a place into albums.'),
  },
  'safelight#drone': {
    title: t('Tag pictures from a drone'),
    text: t('Tags what DJI cameras have taken.'),
  },
  'safelight#large-videos': {
    title: t('Tag large videos'),
    text: t('Tags videos of more than a gigabyte.'),
  },
  'safelight#five-stars': {
    title: t('Five stars are favorites'),
    text: t('Marks as favorite what a camera or another program has given five stars.'),
  },
  'safelight#messenger': {
    title: t('Archive pictures from messaging apps'),
    text: t('Keeps pictures that WhatsApp has saved out of the timeline.'),
  },
  'safelight#bursts': {
    title: t('Stack bursts'),
    text: t('Shows photos of one burst as one.'),
  },
  'safelight#person-album': {
    title: t('Share pictures of a person'),
    text: t('Collects pictures of a person in an album that others may view.'),
  },
  'safelight#sunsets': {
    title: t('Tag sunsets'),
    text: t('Tags pictures that look like a sunset.'),
  },
  'safelight#scans': {
    title: t('Notify me of scans'),
    text: t('Notifies you when old pictures arrive, so that you can check their dates.'),
  },
};

export const TRIGGERS: Readonly<Record<Workflow['trigger'], string>> = {
  AssetCreate: t('When an item is added'),
  AssetMetadataExtraction: t('When metadata has been read'),
  AssetTagged: t('When an item is tagged'),
};

export const RESULTS: Readonly<Record<WorkflowLogEntry['result'], string>> = {
  completed: t('Completed'),
  halted: t('Did not match'),
  error: t('Failed'),
};

type Methods = readonly WorkflowMethod[] | undefined;

export const findMethod = (methods: Methods, key: string): WorkflowMethod | undefined =>
  methods?.find((method) => method.key === key);

export const isFilter = (method: WorkflowMethod | undefined): boolean =>
  method?.uiHints.includes('Filter') ?? false;

export const getWorkflowName = ({ name }: Pick<Workflow, 'name'>): string => name || t('Untitled');
export const getMethodName = (key: string, methods: Methods): string =>
  METHODS[key] ?? findMethod(methods, key)?.title ?? key;
export const getFieldName = (method: string, name: string, { title }: SchemaNode = {}): string =>
  FIELDS[`${method}.${name}`] ?? FIELDS[name] ?? title ?? name;
export const getValueName = (field: string, value: string): string =>
  VALUES[`${field}.${value}`] ?? VALUES[value] ?? value;

/** Returns which placeholders a text may contain, or what the server says of an unknown field. */
export function getFieldHint(method: string, name: string, node: SchemaNode): string | undefined {
  const { description = '' } = node;
  const placeholders = description.match(/\{\{\w+\}\}/g);
  if (placeholders)
    return t('May contain {placeholders}', { placeholders: placeholders.join(', ') });
  return getFieldName(method, name) === name ? description || undefined : undefined;
}

export const describeTemplate = (template: { key: string; title: string; description: string }) =>
  TEMPLATES[template.key] ?? { title: template.title, text: template.description };

/** The names of albums, tags, people, pets and accounts by id, as far as they are known. */
export type Names = ReadonlyMap<string, string>;

/** Returns what a step is set to, for one line: “screenshot”, contains. */
export function summarizeConfig(
  methods: Methods,
  key: string,
  config: Config | null,
  names: Names = new Map(),
): string {
  const schema = (findMethod(methods, key)?.schema ?? {}) as SchemaNode;
  return formatList(summarizeGroup({ methods, key, names }, schema, config ?? {}));
}

type Context = { readonly methods: Methods; readonly key: string; readonly names: Names };

/** More are told by their number. */
const MAX_NAMES = 3;

function summarizeIds({ names }: Context, hint: IdHint, ids: readonly unknown[]): string[] {
  const known = ids.flatMap((id) => names.get(String(id)) ?? []);
  if (known.length < ids.length || ids.length > MAX_NAMES) return [COUNTS[hint](ids.length)];
  return known.map((value) => t('“{value}”', { value }));
}

const summarizeGroup = (context: Context, schema: SchemaNode, config: Config): string[] =>
  listProperties(schema).flatMap(([name, node]) => {
    const value = config[name];
    const hint = getIdHint(node);
    if (hint && Array.isArray(value)) {
      return value.length > 0 ? summarizeIds(context, hint, value) : [];
    }
    if (Array.isArray(value)) return value.map((one) => summarizeItem(context.methods, name, one));
    if (node.properties && value) return summarizeGroup(context, node, value as Config);
    return summarizeValue(context.key, name, node, value);
  });

/** Returns the word of a list, or the name of a filter within a filter. */
const summarizeItem = (methods: Methods, name: string, item: unknown): string =>
  typeof item === 'object' && item !== null && 'method' in item
    ? getMethodName(String(item.method), methods)
    : getValueName(name, String(item));

const COUNTS: Readonly<Record<IdHint, (count: number) => string>> = {
  AlbumId: (count) => t('{count, plural, one {# album} other {# albums}}', { count }),
  TagId: (count) => t('{count, plural, one {# tag} other {# tags}}', { count }),
  PetId: (count) => t('{count, plural, one {# pet} other {# pets}}', { count }),
  UserId: (count) => t('{count, plural, one {# account} other {# accounts}}', { count }),
  PersonId: (count) => t('{count, plural, one {# person} other {# people}}', { count }),
};

function summarizeValue(key: string, name: string, node: SchemaNode, value: unknown): string[] {
  const label = getFieldName(key, name, node);
  if (value === true) return [label];
  if (typeof value === 'number') {
    return [t('{label}: {value}', { label, value: formatNumber(value) })];
  }
  if (typeof value !== 'string' || value === '') return [];
  return [node.enum ? getValueName(name, value) : t('“{value}”', { value })];
}
