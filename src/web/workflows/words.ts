import { formatList, formatNumber } from '../format.ts';
import type { Workflow, WorkflowLogEntry, WorkflowMethod } from '../types.ts';
import { type Config, getIdHint, type IdHint, listProperties, type SchemaNode } from './schema.ts';
import { t } from '../i18n.ts';

// The server names its methods in English only. Methods without a name here keep that one.

const METHODS: Readonly<Record<string, string>> = {
  'immich-plugin-core#assetFileFilter': t('File name'),
  'immich-plugin-core#assetMissingTimeZoneFilter': t('Time zone is missing'),
  'immich-plugin-core#assetLocationFilter': t('Place'),
  'immich-plugin-core#assetDateFilter': t('Day taken'),
  'immich-plugin-core#assetTypeFilter': t('Photos or videos'),
  'immich-plugin-core#assetTagFilter': t('Tags'),
  'immich-plugin-core#filterPerson': t('People'),
  'immich-plugin-core#assetArchive': t('Archive'),
  'immich-plugin-core#assetLock': t('Move to Locked'),
  'immich-plugin-core#assetVisibility': t('Move'),
  'immich-plugin-core#assetFavorite': t('Add to favourites'),
  'immich-plugin-core#assetAddToAlbums': t('Add to album'),
  'immich-plugin-core#assetAddTags': t('Add a tag'),
};

/** By name, or by method and name where a name says more than one thing. */
const FIELDS: Readonly<Record<string, string>> = {
  pattern: t('Text'),
  matchType: t('Comparison'),
  caseSensitive: t('Match case'),
  'immich-plugin-core#assetMissingTimeZoneFilter.inverse': t('The other way: it has a time zone'),
  'immich-plugin-core#assetArchive.inverse': t('The other way: move back to the timeline'),
  'immich-plugin-core#assetFavorite.inverse': t('The other way: remove from favourites'),
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
  visibility: t('To'),
  albumIds: t('Albums'),
  albumName: t('Name of the album if none is chosen'),
};

const VALUES: Readonly<Record<string, string>> = {
  contains: t('contains'),
  startsWith: t('begins with'),
  exact: t('is exactly'),
  regex: t('matches the regular expression'),
  IMAGE: t('Photos'),
  VIDEO: t('Videos'),
  AUDIO: t('Sound recordings'),
  OTHER: t('Other'),
  all: t('All'),
  any: t('At least one'),
  none: t('None'),
  archive: t('Archive'),
  timeline: t('Timeline'),
  locked: t('Locked'),
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
};

export const TRIGGERS: Readonly<Record<Workflow['trigger'], string>> = {
  AssetCreate: t('When an item is added'),
  AssetMetadataExtraction: t('When the metadata of an item is known'),
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
export const getValueName = (value: string): string => VALUES[value] ?? value;

export const describeTemplate = (template: { key: string; title: string; description: string }) =>
  TEMPLATES[template.key] ?? { title: template.title, text: template.description };

/** Returns what a step is set to, for one line: “screenshot”, contains. */
export function summarizeConfig(methods: Methods, key: string, config: Config | null): string {
  const schema = (findMethod(methods, key)?.schema ?? {}) as SchemaNode;
  return formatList(summarizeGroup({ methods, key }, schema, config ?? {}));
}

type Context = { readonly methods: Methods; readonly key: string };

const summarizeGroup = (context: Context, schema: SchemaNode, config: Config): string[] =>
  listProperties(schema).flatMap(([name, node]) => {
    const value = config[name];
    const hint = getIdHint(node);
    if (hint && Array.isArray(value)) return value.length > 0 ? [COUNTS[hint](value.length)] : [];
    if (Array.isArray(value)) return value.map((one) => summarizeItem(context.methods, one));
    if (node.properties && value) return summarizeGroup(context, node, value as Config);
    return summarizeValue(getFieldName(context.key, name, node), node, value);
  });

/** Returns the word of a list, or the name of a filter within a filter. */
const summarizeItem = (methods: Methods, item: unknown): string =>
  typeof item === 'object' && item !== null && 'method' in item
    ? getMethodName(String(item.method), methods)
    : getValueName(String(item));

const COUNTS: Readonly<Record<IdHint, (count: number) => string>> = {
  AlbumId: (count) => t('{count, plural, one {# album} other {# albums}}', { count }),
  TagId: (count) => t('{count, plural, one {# tag} other {# tags}}', { count }),
  PetId: (count) => t('{count, plural, one {# pet} other {# pets}}', { count }),
  PersonId: (count) => t('{count, plural, one {# person} other {# people}}', { count }),
};

function summarizeValue(label: string, node: SchemaNode, value: unknown): string[] {
  if (value === true) return [label];
  if (typeof value === 'number')
    return [t('{label}: {value}', { label, value: formatNumber(value) })];
  if (typeof value !== 'string' || value === '') return [];
  return [node.enum ? getValueName(value) : t('“{value}”', { value })];
}
