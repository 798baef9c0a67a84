// The library of a family (search-families-world.json): photos with dates, places, people, albums and tags, and which of
// them a condition means.
import { basename, join } from 'node:path';
import { getGeocoder, type Place } from '../../src/media/places.ts';
import { listScenePhotos, unpack } from './scene-photos.ts';
import { listPictures, type Picture } from './search-photos.ts';
import world from './search-families-world.json' with { type: 'json' };

export const NOW = new Date(world.now);
/** Names with their dates of birth. */
export const PEOPLE: Readonly<Record<string, string | null>> = world.people;

export type WorldPhoto = {
  readonly picture: Picture;
  /** By the clock of the place. */
  readonly takenAt: Date;
  readonly place: Place | undefined;
  readonly people: readonly string[];
  /** Number of faces that nobody has named. */
  readonly strangers: number;
  readonly isFavourite: boolean;
  readonly type: 'IMAGE' | 'VIDEO';
  readonly tags: readonly string[];
  readonly album: string | undefined;
};

/** All that are given must hold. */
export type Condition = {
  /** All of them are in the photo. */
  readonly people?: readonly string[];
  /** One of them is at least. */
  readonly any?: readonly string[];
  readonly without?: readonly string[];
  /** Least and greatest number of faces. */
  readonly faces?: readonly number[];
  readonly city?: string | readonly string[];
  readonly state?: string;
  readonly country?: string;
  /** First and last day. */
  readonly from?: string;
  readonly to?: string;
  /** First and last month and day of any year. */
  readonly days?: readonly string[];
  /** Of the name of its file. */
  readonly subject?: string;
  readonly type?: string;
  readonly favourite?: boolean;
  readonly album?: string;
  readonly tag?: string;
};

type Check = (photo: WorldPhoto, wanted: never) => boolean;
const toDay = ({ takenAt }: WorldPhoto): string => takenAt.toISOString().slice(0, 10);
const isBetween = (value: string, from: string, to: string) => from <= value && value <= to;

const CHECKS: Readonly<Record<keyof Condition, Check>> = {
  people: ({ people }, all: string[]) => all.every((name) => people.includes(name)),
  any: ({ people }, some: string[]) => some.some((name) => people.includes(name)),
  without: ({ people }, none: string[]) => !none.some((name) => people.includes(name)),
  faces: ({ people, strangers }, [least, most]: [number, number]) =>
    people.length + strangers >= least && people.length + strangers <= most,
  city: ({ place }, city: string | string[]) => [city].flat().includes(place?.city ?? ''),
  state: ({ place }, state: string) => place?.state === state,
  country: ({ place }, country: string) => place?.country === country,
  from: (photo, day: string) => toDay(photo) >= day,
  to: (photo, day: string) => toDay(photo) <= day,
  days: (photo, [from, to]: [string, string]) => isBetween(toDay(photo).slice(5), from, to),
  subject: ({ picture }, files: string) => new RegExp(files).test(picture.name),
  type: ({ type }, wanted: string) => type === wanted,
  favourite: ({ isFavourite }, wanted: boolean) => isFavourite === wanted,
  album: ({ album }, wanted: string) => album === wanted,
  tag: ({ tags }, wanted: string) => tags.includes(wanted),
};

export const matches = (photo: WorldPhoto, condition: Condition): boolean =>
  Object.entries(condition).every(([key, wanted]) =>
    CHECKS[key as keyof Condition](photo, wanted as never),
  );

const SCENES = ['lomiri-wallpapers-16.04', 'mate-backgrounds', 'gcompris-qt-data'];
const FACES = 'libdlib19.1';

/** All photos from which those of the world are taken. */
async function listSources(): Promise<{ library: Picture[]; more: Picture[] }> {
  const scenes = await listScenePhotos(SCENES);
  const folder = await unpack(FACES);
  const faces = [...new Bun.Glob('**/examples/**/*.jpg').scanSync({ cwd: folder })].toSorted();
  const toPicture = (kind: string, path: string): Picture => ({
    name: `${kind}/${basename(path)}`,
    path,
    isStamp: false,
  });
  return {
    library: await listPictures(),
    more: [
      ...scenes.map(({ path }) => toPicture('scenes', path)),
      ...faces.map((file) => toPicture('people', join(folder, file))),
    ],
  };
}

function findPicture(pictures: readonly Picture[], key: string): Picture {
  const found = pictures.filter(({ name }) => `/${name.replace(/\.\w+$/, '')}`.endsWith(`/${key}`));
  if (found.length !== 1) throw new Error(`${found.length} photos are called ${key}`);
  return found[0]!;
}

/** 'Rosa, ?, ? #zoo video *': people, strangers, tags, a video, a favourite. */
function readNotes(notes: string) {
  const tags = [...notes.matchAll(/#(\S+)/g)].map(([, tag]) => tag!);
  const names = notes
    .replaceAll(/#\S+|\*|\bvideo\b/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const people = names.filter((name) => name !== '?');
  const unknown = people.find((name) => !(name in PEOPLE));
  if (unknown) throw new Error(`Nobody is called ${unknown}`);
  return {
    people,
    strangers: names.length - people.length,
    isFavourite: notes.includes('*'),
    type: /\bvideo\b/.test(notes) ? ('VIDEO' as const) : ('IMAGE' as const),
    tags,
  };
}

type Event = {
  readonly on: string;
  readonly at: string;
  readonly album?: string;
  readonly photos: Readonly<Record<string, string>>;
};

const MINUTE = 60_000;
/** Scans of years before the family's own photos: no place, nobody known, on no holiday. */
const toScan = (picture: Picture, at: number): WorldPhoto => ({
  picture,
  takenAt: new Date(Date.UTC(2015 + (at % 4), (at * 5) % 12, 9 + (at % 7), 12, at % 60)),
  place: undefined,
  ...readNotes(''),
  album: undefined,
});

/** Oldest first. */
export async function listWorld(): Promise<WorldPhoto[]> {
  const { library, more } = await listSources();
  const geocoder = await getGeocoder();
  const places: Readonly<Record<string, number[]>> = world.places;
  const dated = (world.events as readonly Event[]).flatMap(({ on, at, album, photos }) => {
    const [latitude, longitude] = places[at]!;
    const place = geocoder.reverse(latitude!, longitude!);
    return Object.entries(photos).map(([key, notes], index): WorldPhoto => {
      const picture = findPicture([...library, ...more], key);
      const takenAt = new Date(Date.parse(`${on}T09:30Z`) + index * 37 * MINUTE);
      return { picture, takenAt, place, ...readNotes(notes), album };
    });
  });
  const taken = new Set(dated.map(({ picture }) => picture));
  if (taken.size !== dated.length) throw new Error('A photo is in two events');
  const scans = library.filter((picture) => !taken.has(picture)).map(toScan);
  return [...scans, ...dated].toSorted((a, b) => a.takenAt.getTime() - b.takenAt.getTime());
}
