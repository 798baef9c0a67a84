import { Type } from 'typebox';
import { DOCUMENT_CHARACTERS } from '../../memories/index.ts';
import { fold } from '../../../core/fold-text.ts';
import { choice, defineFilter, flag, Ids, OWN_PLUGIN } from './define.ts';
import { compileTextMatch, TextMatch } from './text-match.ts';

const plugin = OWN_PLUGIN;

/** Optional bounds of a number, both included. */
const range = (unit: string) => ({
  min: Type.Optional(Type.Number({ title: 'At least', description: unit })),
  max: Type.Optional(Type.Number({ title: 'At most', description: unit })),
});
type Range = { readonly min?: number | undefined; readonly max?: number | undefined };
const isWithin = (value: number | null, { min = -Infinity, max = Infinity }: Range): boolean =>
  value !== null && value >= min && value <= max;

const extension = defineFilter({
  plugin,
  name: 'extensionFilter',
  title: 'Filter by file extension',
  description: 'Filter items by the ending of their file name',
  config: Type.Object({
    extensions: Type.Array(Type.String({ maxLength: 20 }), {
      title: 'Extensions',
      description: 'With or without a dot, as jpg',
      maxItems: 100,
    }),
  }),
  compile({ extensions }) {
    const endings = extensions.map((one) => `.${one.replace(/^\./, '').toLowerCase()}`);
    return (facts) => endings.some((ending) => facts.fileName.toLowerCase().endsWith(ending));
  },
});

const camera = defineFilter({
  plugin,
  name: 'cameraFilter',
  title: 'Filter by camera',
  description: 'Filter items by the make, model or lens of the camera',
  config: Type.Object({
    pattern: Type.String({ title: 'Camera', description: 'Text to look for', maxLength: 1_000 }),
    matchType: Type.Optional(TextMatch),
  }),
  compile(config) {
    const matches = compileTextMatch(config);
    return ({ make, model, lensModel }) =>
      [`${make ?? ''} ${model ?? ''}`.trim(), model ?? '', lensModel ?? ''].some(matches);
  },
});

const device = defineFilter({
  plugin,
  name: 'deviceFilter',
  title: 'Filter by device',
  description: 'Filter items by the device or the API key that uploaded them',
  config: Type.Object({
    pattern: Type.String({
      title: 'Device',
      description: 'As the list of sessions shows it: iPhone 15, Firefox, Android …',
      minLength: 1,
      maxLength: 1_000,
    }),
    matchType: Type.Optional(TextMatch),
  }),
  compile(config) {
    const matches = compileTextMatch(config);
    return ({ uploadedFrom }) => uploadedFrom !== '' && matches(uploadedFrom);
  },
});

const MEGABYTE = 1_000_000;

const size = defineFilter({
  plugin,
  name: 'sizeFilter',
  title: 'Filter by file size',
  description: 'Filter items by the size of their file',
  config: Type.Object(range('Megabytes')),
  compile: (config) => (facts) => isWithin(facts.fileSize / MEGABYTE, config),
});

const dimensions = defineFilter({
  plugin,
  name: 'dimensionsFilter',
  title: 'Filter by dimensions',
  description: 'Filter items by their longer side and shape',
  config: Type.Object({
    ...range('Pixels of the longer side'),
    shape: Type.Optional(
      choice(['any', 'landscape', 'portrait', 'square'], {
        title: 'Shape',
        description: 'Shape of the picture',
        default: 'any',
      }),
    ),
  }),
  compile:
    ({ shape = 'any', ...bounds }) =>
    ({ width, height }) => {
      if (width === null || height === null) return false;
      const own = width > height ? 'landscape' : width < height ? 'portrait' : 'square';
      return isWithin(Math.max(width, height), bounds) && (shape === 'any' || shape === own);
    },
});

const duration = defineFilter({
  plugin,
  name: 'durationFilter',
  title: 'Filter by duration',
  description: 'Filter videos by their length',
  config: Type.Object(range('Seconds')),
  compile:
    (config) =>
    ({ type, durationMs }) =>
      type !== 'IMAGE' && durationMs !== null && isWithin(durationMs / 1_000, config),
});

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const weekday = defineFilter({
  plugin,
  name: 'weekdayFilter',
  title: 'Filter by weekday',
  description: 'Filter items by the local weekday on which they were taken',
  config: Type.Object({
    weekdays: Type.Array(choice(WEEKDAYS), { title: 'Weekdays', description: 'Allowed weekdays' }),
  }),
  compile: ({ weekdays }) => {
    const allowed = new Set(weekdays.map((name) => WEEKDAYS.indexOf(name)));
    return ({ localTakenAt }) => allowed.has(new Date(`${localTakenAt}Z`).getUTCDay());
  },
});

const DAY_MS = 24 * 60 * 60_000;

const age = defineFilter({
  plugin,
  name: 'ageFilter',
  title: 'Filter by age',
  description: 'Filter items by the time since they were taken',
  config: Type.Object(range('Days')),
  compile: (config) => (facts) => isWithin((Date.now() - facts.takenAt.getTime()) / DAY_MS, config),
});

const favorite = defineFilter({
  plugin,
  name: 'favoriteFilter',
  title: 'Filter by favorite',
  description: 'Filter favorites',
  config: Type.Object({ inverse: flag('Inverse', 'When true only items that are no favorites') }),
  compile:
    ({ inverse = false }) =>
    (facts) =>
      facts.isFavorite !== inverse,
});

const rating = defineFilter({
  plugin,
  name: 'ratingFilter',
  title: 'Filter by rating',
  description: 'Filter items by their stars; items without a rating never match',
  config: Type.Object(range('Stars')),
  compile: (config) => (facts) => isWithin(facts.rating, config),
});

const album = defineFilter({
  plugin,
  name: 'albumFilter',
  title: 'Filter by album',
  description: 'Filter items by the albums that contain them',
  needs: { groups: ['albums'] },
  config: Type.Object({
    albumIds: Ids('Albums', 'Albums to look in', 'AlbumId'),
    inverse: flag('Inverse', 'When true only items that are in none of them'),
  }),
  compile:
    ({ albumIds, inverse = false }) =>
    (facts) =>
      albumIds.some((id) => facts.albums.has(id)) !== inverse,
});

const pet = defineFilter({
  plugin,
  name: 'petFilter',
  title: 'Filter by pet',
  description: 'Filter by recognized pet',
  needs: { groups: ['pets'], tasks: ['objects'] },
  config: Type.Object({ petIds: Ids('Pets', 'Pets to match, any of them', 'PetId') }),
  compile:
    ({ petIds }) =>
    (facts) =>
      petIds.some((id) => facts.pets.has(id)),
});

const text = defineFilter({
  plugin,
  name: 'textFilter',
  title: 'Filter by text in the picture',
  description: 'Filter items by the text that was recognized in them',
  needs: { tasks: ['text'] },
  config: Type.Object({
    pattern: Type.String({
      title: 'Text',
      description: 'Text to look for; accents and case do not matter',
      minLength: 1,
      maxLength: 1_000,
    }),
  }),
  compile({ pattern }) {
    const wanted = fold(pattern);
    return (facts) => facts.text.includes(wanted);
  },
});

const document = defineFilter({
  plugin,
  name: 'documentFilter',
  title: 'Filter documents',
  description: 'Filter pictures with much text, as receipts, letters and screenshots of text',
  needs: { tasks: ['text'] },
  config: Type.Object({ inverse: flag('Inverse', 'When true only items that are no documents') }),
  compile:
    ({ inverse = false }) =>
    (facts) =>
      facts.text.replaceAll(/\s/g, '').length >= DOCUMENT_CHARACTERS !== inverse,
});

const likeness = defineFilter({
  plugin,
  name: 'likenessFilter',
  title: 'Filter by a sentence',
  description: 'Filter pictures by how well a sentence describes them',
  needs: { tasks: ['embedding'] },
  getSentences: ({ sentence }) => [sentence],
  config: Type.Object({
    sentence: Type.String({
      title: 'Sentence',
      description: 'As: a dog at the beach',
      minLength: 1,
      maxLength: 500,
    }),
    minSimilarity: Type.Optional(
      Type.Number({
        title: 'Least similarity',
        description: 'From 0 to 1; what is usual for the installed models if it is empty',
        minimum: 0,
        maximum: 1,
      }),
    ),
  }),
  compile:
    ({ sentence, minSimilarity }) =>
    ({ similarities }) => {
      const similarity = similarities.get(sentence);
      if (!similarity) throw new Error('The models that read the sentence do not work');
      return similarity.cosine >= (minSimilarity ?? similarity.typical);
    },
});

export const ownFilters = [
  extension,
  camera,
  device,
  size,
  dimensions,
  duration,
  weekday,
  age,
  favorite,
  rating,
  album,
  pet,
  text,
  document,
  likeness,
];
