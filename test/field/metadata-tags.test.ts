import { beforeEach, expect, test } from 'bun:test';
import { call, seed } from '../support/harness.ts';
import { type FieldPhoto, list, useFieldPhotos } from '../support/field-photos.ts';

// Keywords and ratings of programs: README.md has the public threads.

const { app, database, get, read, show, state } = await useFieldPhotos();

beforeEach(async () => {
  state.me = await seed(database).user(['all'], { timeZone: 'Europe/Berlin' });
});

type Tag = {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly parentId?: string;
};

/** The tags of a photo as names with ' > ' between their levels. */
async function readTags(asset: { readonly id: string }): Promise<string[]> {
  const all = new Map<string, Tag>((await get('/tags')).map((one: Tag) => [one.id, one]));
  const toPath = ({ name, parentId }: Tag): string => {
    const above = parentId && all.get(parentId);
    return above ? `${toPath(above)} > ${name}` : name;
  };
  const { tags } = await get(`/assets/${asset.id}`);
  return tags.map(toPath).sort();
}

const subject = (...words: string[]) => list('dc:subject', ...words);
const levels = (...paths: string[]) => list('lr:hierarchicalSubject', ...paths);
const digiKam = (...paths: string[]) => list('digiKam:TagsList', ...paths);
const unmarked = (...words: string[]) => [
  '-charset',
  'iptc=utf8',
  ...words.map((word) => `-IPTC:Keywords=${word}`),
];
const LONG = 'Jahreshauptversammlung der Freiwilligen Feuerwehr in Niederbayern 2019';

test.each<[string, FieldPhoto, string[]]>([
  [
    '152: a slash in a keyword of Lightroom',
    { xmp: subject('AC/DC') + levels('Music|AC/DC') },
    ['Music > AC/DC'],
  ],
  [
    '153: a slash in a keyword',
    { xmp: subject('Jan/Feb 2024', 'w/ Anna') },
    ['Jan/Feb 2024', 'w/ Anna'],
  ],
  [
    '154: a slash in a keyword of IPTC',
    { tags: ['-IPTC:Keywords=24/7', '-IPTC:Keywords=N/A'] },
    ['24/7', 'N/A'],
  ],
  [
    '155: levels of digiKam, in four forms',
    {
      tags: ['-IPTC:Keywords=Kyoto', '-IPTC:Keywords=Travel/Japan/Kyoto'],
      xmp:
        subject('Kyoto', 'Travel/Japan/Kyoto') +
        digiKam('Travel/Japan/Kyoto') +
        levels('Travel|Japan|Kyoto'),
    },
    ['Travel > Japan > Kyoto'],
  ],
  [
    '156: each level as a keyword of its own',
    { xmp: subject('Travel', 'Japan', 'Sea') + levels('Travel|Japan') },
    ['Sea', 'Travel > Japan'],
  ],
  [
    '157: years as keywords',
    { xmp: subject('2024', '7') + levels('When|2024') },
    ['7', 'When > 2024'],
  ],
  [
    '158: a sequence where a bag is right',
    { xmp: levels('A|B').replaceAll('rdf:Bag', 'rdf:Seq') },
    ['A > B'],
  ],
  ['159: a comma in a keyword', { xmp: subject('castle, knight') }, ['castle, knight']],
  [
    '160: keywords of IPTC in UTF-8 without a marker',
    { tags: unmarked('Köln', 'São Paulo') },
    ['Köln', 'São Paulo'],
  ],
  ['161: the same beside XMP', { tags: unmarked('Köln'), xmp: subject('Köln') }, ['Köln']],
  [
    '162: letters of a Mac beside those of others',
    { tags: unmarked('Köln'.normalize('NFD')), xmp: subject('Köln') },
    ['Köln'],
  ],
  [
    '163: a keyword that IPTC has cut',
    { tags: unmarked(LONG.slice(0, 64)), xmp: subject(LONG) },
    [LONG],
  ],
  [
    '164: a sidecar without a keyword that the file has',
    { xmp: subject('old', 'kept'), sidecar: subject('kept', 'new') },
    ['kept', 'new'],
  ],
  [
    '165: a sidecar with the last level only',
    { xmp: levels('Travel|Japan') + subject('Japan'), sidecar: subject('Japan') },
    ['Travel > Japan'],
  ],
  [
    '166a: a sidecar without keywords',
    { xmp: subject('kept'), sidecar: '<xmp:Rating>3</xmp:Rating>' },
    ['kept'],
  ],
  [
    '166b: a sidecar with an empty list',
    { xmp: subject('kept'), sidecar: '<dc:subject><rdf:Bag/></dc:subject>' },
    ['kept'],
  ],
  [
    '167: what darktable notes of its work',
    {
      sidecar:
        subject('1. Develop', 'changed', 'rw2', 'Sea') +
        levels('darktable|changed', 'darktable|format|rw2', 'darktable|style|1. Develop', 'Sea'),
    },
    ['Sea'],
  ],
  [
    '168: blanks around levels',
    { xmp: levels(' Travel | Japan ', '|', 'Travel||Japan') },
    ['Travel > Japan'],
  ],
])('%s', async (_, photo, expected) => {
  expect(await readTags(await show(photo))).toEqual(expected);
});

test('169: a keyword that is a path in the library already is no second tag', async () => {
  const body = { tags: ['AC/DC'] };
  await call(app, 'PUT /tags', { as: state.me, body });
  const { tags } = await show({ xmp: subject('AC/DC') });
  expect(tags.map(({ value }: Tag) => value)).toEqual(['AC/DC']);
  expect((await get('/tags')).map(({ value }: Tag) => value).sort()).toEqual(['AC', 'AC/DC']);
});

test('170: a keyword that is there is no path when it is asked for as one', async () => {
  await show({ xmp: subject('AC/DC') });
  const { body } = await call(app, 'PUT /tags', { as: state.me, body: { tags: ['AC/DC'] } });
  expect(body).toMatchObject([{ name: 'AC/DC', value: 'AC/DC' }]);
  expect(await get('/tags')).toHaveLength(1);
});

test('171: tags that were read in the wrong encoding are right once they are read again', async () => {
  const asset = await show({ tags: unmarked('Köln', 'São Paulo', 'Sea') });
  const garbled = Buffer.from('Köln').toString('latin1');
  await database.sql`update tag set value = ${garbled} where value = 'Köln' and owner_id = ${state.me.id}`;
  // Its owner has taken this one off.
  await database.sql`delete from tag_asset using tag where tag.id = tag_id and value = 'São Paulo'`;
  expect(await readTags(asset)).toEqual([garbled, 'Sea'].sort());
  await read(asset.id);
  expect(await readTags(asset)).toEqual(['Köln', 'Sea']);
});

test.each<[string, FieldPhoto, number | null]>([
  ['172a: one star of Windows', { xmp: '<MicrosoftPhoto:Rating>1</MicrosoftPhoto:Rating>' }, 1],
  ['172b: two stars of Windows', { xmp: '<MicrosoftPhoto:Rating>25</MicrosoftPhoto:Rating>' }, 2],
  ['172c: five stars of Windows', { xmp: '<MicrosoftPhoto:Rating>99</MicrosoftPhoto:Rating>' }, 5],
  [
    '173: stars of Windows in a sidecar',
    { tags: ['-Rating=1'], sidecar: '<MicrosoftPhoto:Rating>75</MicrosoftPhoto:Rating>' },
    4,
  ],
  [
    '174: a camera that writes zero, and a person',
    { tags: ['-EXIF:Rating=0'], xmp: '<xmp:Rating>4</xmp:Rating>' },
    4,
  ],
  [
    '175: stars that were taken away',
    { tags: ['-Rating=4'], sidecar: '<xmp:Rating>0</xmp:Rating>' },
    null,
  ],
  ['176: a rejected photo', { sidecar: '<xmp:Rating>-1</xmp:Rating>' }, -1],
  ['177: a rating with a fraction', { xmp: '<xmp:Rating>3.0</xmp:Rating>' }, 3],
  [
    '178: a rating that is none leaves that of the file',
    { tags: ['-Rating=4'], sidecar: '<xmp:Rating>good</xmp:Rating>' },
    4,
  ],
])('%s', async (_, photo, expected) => {
  expect((await show(photo)).exifInfo.rating).toBe(expected);
});
