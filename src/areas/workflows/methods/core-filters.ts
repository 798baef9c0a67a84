import { Type } from 'typebox';
import { CORE_PLUGIN, choice, defineFilter, flag, Ids } from './define.ts';
import { compileTextMatch, TextMatch } from './text-match.ts';
import type { Facts } from '../runs/facts.ts';

const plugin = CORE_PLUGIN;

const fileName = defineFilter({
  plugin,
  name: 'assetFileFilter',
  title: 'Filter by filename',
  description: 'Filter assets by filename pattern using text matching or regular expressions',
  config: Type.Object({
    pattern: Type.String({
      title: 'Filename pattern',
      description: 'Text or regex pattern to match against filename',
      maxLength: 1_000,
    }),
    matchType: Type.Optional(TextMatch),
    caseSensitive: flag('Case sensitive', 'Whether matching should be case-sensitive'),
  }),
  compile(config) {
    const matches = compileTextMatch(config);
    return (facts) => matches(facts.fileName);
  },
});

const missingTimeZone = defineFilter({
  plugin,
  name: 'assetMissingTimeZoneFilter',
  title: 'Filter by missing time zone',
  description: 'Filter assets that have no time zone information',
  config: Type.Object({
    inverse: flag('Inverse', 'Set to true to filter assets with a time zone'),
  }),
  compile:
    ({ inverse = false }) =>
    (facts) =>
      (facts.timeZone !== null) === inverse,
});

const RegionName = (title: string) =>
  Type.Optional(
    Type.String({ title, description: 'Exact name of the place the asset must be taken in' }),
  );

const location = defineFilter({
  plugin,
  name: 'assetLocationFilter',
  title: 'Filter assets by geolocation',
  description: 'Filter assets by where they were taken',
  config: Type.Object({
    region: Type.Optional(
      Type.Object(
        {
          country: RegionName('Country'),
          state: RegionName('State/province'),
          city: RegionName('City'),
        },
        { title: 'Region', description: 'Filter by region name' },
      ),
    ),
    coordinate: Type.Optional(
      Type.Object(
        {
          latitude: Type.Number({ title: 'Latitude', minimum: -90, maximum: 90 }),
          longitude: Type.Number({ title: 'Longitude', minimum: -180, maximum: 180 }),
          radius: Type.Number({
            title: 'Maximum distance',
            description: 'How close in kilometres the asset must be to the given point',
            minimum: 0,
          }),
        },
        { title: 'Coordinate', description: 'Filter by distance to a coordinate' },
      ),
    ),
  }),
  compile:
    ({ region = {}, coordinate }) =>
    (facts) =>
      (['country', 'state', 'city'] as const).every(
        (name) => !region[name] || facts[name] === region[name],
      ) &&
      (coordinate === undefined || isNearby(facts, coordinate)),
});

const DayOfYear = (title: string, description: string) =>
  Type.Object(
    {
      day: Type.Integer({ title: 'Day', minimum: 1, maximum: 31 }),
      month: Type.Integer({ title: 'Month', minimum: 1, maximum: 12 }),
      year: Type.Integer({ title: 'Year', minimum: 1, maximum: 9999 }),
    },
    { title, description },
  );

const date = defineFilter({
  plugin,
  name: 'assetDateFilter',
  title: 'Filter by date',
  description: 'Filter assets by date taken',
  config: Type.Object({
    startDate: DayOfYear('Start date', 'Earliest date of assets to include'),
    endDate: DayOfYear('End date', 'Latest date of assets to include'),
    recurring: Type.Boolean({
      title: 'Match recurring dates',
      description: 'Allow any assets with matching months/days regardless of the year',
      default: false,
    }),
  }),
  compile:
    ({ startDate, endDate, recurring }) =>
    (facts) =>
      isBetweenDays(facts.localTakenAt, startDate, endDate, recurring),
});

const type = defineFilter({
  plugin,
  name: 'assetTypeFilter',
  title: 'Filter by asset type',
  description: 'Filter assets by type',
  config: Type.Object({
    allowedTypes: Type.Array(choice(['IMAGE', 'VIDEO', 'AUDIO', 'OTHER']), {
      title: 'Asset types',
      description: 'Allowed asset types',
    }),
  }),
  compile: ({ allowedTypes }) => {
    const allowed: ReadonlySet<string> = new Set(allowedTypes);
    return (facts) => allowed.has(facts.type);
  },
});

const tags = defineFilter({
  plugin,
  name: 'assetTagFilter',
  title: 'Filter by tags',
  description: 'Filter assets by which tags they have',
  needs: { groups: ['tags'] },
  config: Type.Object({
    tags: Ids('Tags', 'Which tags the asset must have', 'TagId'),
    matching: choice(['all', 'any', 'none'], {
      title: 'Matching',
      description: 'Whether assets must have all, any, or none of the listed tags',
    }),
  }),
  compile({ tags, matching }) {
    if (matching === 'all') return (facts) => tags.every((id) => facts.tags.has(id));
    const hasAny = matching === 'any';
    return (facts) => tags.some((id) => facts.tags.has(id)) === hasAny;
  },
});

const people = defineFilter({
  plugin,
  name: 'filterPerson',
  title: 'Filter by person',
  description: 'Filter by detected person',
  needs: { groups: ['people'], tasks: ['faces'] },
  config: Type.Object({
    personIds: Ids('Person IDs', 'List of person to match', 'PersonId'),
    matchAny: flag('Match any', 'Match any person (true) or require all (false)', true),
  }),
  compile: ({ personIds, matchAny = true }) =>
    matchAny
      ? (facts) => personIds.some((id) => facts.people.has(id))
      : (facts) => personIds.every((id) => facts.people.has(id)),
});

export const coreFilters = [fileName, missingTimeZone, location, date, type, tags, people];

const EARTH_DIAMETER_KM = 12_742;
const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

type Circle = {
  readonly latitude: number;
  readonly longitude: number;
  /** km */
  readonly radius: number;
};

/** Returns whether an asset was taken within a circle; false without a position. */
function isNearby(
  { latitude, longitude }: Pick<Facts, 'latitude' | 'longitude'>,
  center: Circle,
): boolean {
  if (latitude === null || longitude === null) return false;
  const here = toRadians(latitude);
  const there = toRadians(center.latitude);
  const haversine =
    Math.sin((here - there) / 2) ** 2 +
    Math.cos(here) *
      Math.cos(there) *
      Math.sin((toRadians(longitude) - toRadians(center.longitude)) / 2) ** 2;
  return EARTH_DIAMETER_KM * Math.asin(Math.min(1, Math.sqrt(haversine))) <= center.radius;
}

type Day = { readonly day: number; readonly month: number; readonly year: number };

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
const toMonthDay = ({ month, day }: Day): string => `${pad(month)}-${pad(day)}`;

/** Returns whether a local time is within two days, both included; in any year if `recurring`. */
function isBetweenDays(localTime: string, start: Day, end: Day, recurring: boolean): boolean {
  if (!recurring) {
    const day = localTime.slice(0, 10);
    return (
      day >= `${pad(start.year, 4)}-${toMonthDay(start)}` &&
      day <= `${pad(end.year, 4)}-${toMonthDay(end)}`
    );
  }
  const [day, first, last] = [localTime.slice(5, 10), toMonthDay(start), toMonthDay(end)];
  // From December to January the turn of the year is inside.
  return first <= last ? day >= first && day <= last : day >= first || day <= last;
}
