import { keepFreeMemory, limitMallocArenas, trimHeap } from '../../core/malloc.ts';
import { releaseBytes } from '../../core/release-bytes.ts';
import { ModelMissing } from '../errors.ts';
import type { CallResults, Call, FacePlace } from '../messages.ts';
import type { ClipModel, InstalledModels } from '../models/installed.ts';
import type {
  Analysis,
  DetectedObject,
  Face,
  ImageSource,
  Label,
  Pixels,
  TaskName,
  TaskResults,
} from '../types.ts';
import { openClipImages, openClipTexts } from './clip.ts';
import { findColours, findThingColours } from './colours.ts';
import { openConse } from './conse.ts';
import { openFaces } from './faces.ts';
import { computeLayout } from './layout.ts';
import { openObjects } from './objects.ts';
import { decodePicture } from './picture.ts';
import { openSentences } from './sentences.ts';
import type { Sessions } from './session.ts';
import { openSpeech } from './speech/open.ts';
import { openTags } from './tags.ts';
import { openText } from './text.ts';
import { createFamilyScheduler } from './family-scheduler.ts';

export type Engine = {
  answer(call: Exclude<Call, { kind: 'probe' }>): Promise<CallResults[Call['kind']]>;
};

export type EngineOptions = {
  /** Only one family of models is in memory at a time. */
  readonly isExclusive: boolean;
  /** Families that run at once. */
  readonly concurrency: number;
};

/** Runs the models. Pictures are decoded as they come; model families take turns. */
export function createEngine(
  models: InstalledModels,
  sessions: Sessions,
  options: EngineOptions,
): Engine {
  const families = openFamilies(models, sessions, options);
  return {
    async answer(call) {
      switch (call.kind) {
        case 'analyze':
          return withPicture(call.image, (picture) => analyze(families, picture, call.tasks));
        case 'detectFaces':
          return withPicture(call.image, (picture) =>
            families.faces(({ detect }) => detect(picture)),
          );
        case 'embedFaces':
          return withPicture(call.image, (picture) => embedFaces(families, picture, call.faces));
        case 'embedQuery': {
          const clips = [...(models.clip ? [models.clip] : []), ...models.otherClips];
          const clip = clips.find(({ id }) => id === call.modelId);
          return clip
            ? families.clipTexts(clip)((embed) => embed(call.text))
            : families.conse((conse) => conse.query(call.text));
        }
        case 'embedSentences':
          return families.sentences((embed) => oneByOne(call.texts, embed));
        case 'transcribe':
          return families.speech((hear) => hear(call.samples, call.language));
      }
    },
  };
}

/** Frees the decoded picture after the work. */
async function withPicture<T>(
  image: ImageSource,
  work: (picture: Pixels) => Promise<T>,
): Promise<T> {
  const picture = await decodePicture(image);
  const result = await work(picture);
  releaseBytes(picture.data);
  return result;
}

const PICTURES = 'pictures';
/** Memory that one run of a model frees, and that is kept for the next run. */
const ACTIVATION_BYTES = 128 * 1024 ** 2;
/** The C library gives every free part of 64 MiB back at once, except of its first heap. */
export const HEAPS = 1;

type Families = ReturnType<typeof openFamilies>;

/** Opens families of models on first use, and again after a release. */
function openFamilies(
  models: InstalledModels,
  sessions: Sessions,
  { isExclusive, concurrency }: EngineOptions,
) {
  const opened = new Map<string, Promise<unknown>>();
  // Whisper alone needs half of the memory, and may wait.
  const getGroup = (name: string) => (isExclusive || name === 'speech' ? name : PICTURES);
  const releaseFamily = async (name: string) => {
    for (const key of opened.keys()) if (getFamily(key) === name) opened.delete(key);
    await sessions.release(name);
    // The next family may need as much again.
    trimHeap();
  };
  const scheduler = createFamilyScheduler(getGroup, releaseFamily, concurrency);

  /** `key`: a part of a family, as 'sentences.conse'. */
  function family<M, O>(
    key: string,
    model: M | undefined,
    open: (sessions: Sessions, model: M) => O | Promise<O>,
  ) {
    return <T>(work: (opened: O) => Promise<T>): Promise<T> => {
      if (!model) throw new ModelMissing(`No models for ${getFamily(key)} are installed`);
      return scheduler.run(getFamily(key), async () => {
        if (getGroup(getFamily(key)) === PICTURES) keepFreeMemory(ACTIVATION_BYTES);
        else limitMallocArenas(HEAPS);
        let opening = opened.get(key) as Promise<O> | undefined;
        if (!opening) {
          opening = Promise.resolve(open(sessions, model));
          opened.set(key, opening);
          opening.catch(() => opened.delete(key));
        }
        return work(await opening);
      });
    };
  }

  return {
    hasClip: models.clip !== undefined,
    faces: family('faces', models.faces, openFaces),
    objects: family('objects', models.objects, openObjects),
    tags: family('tags', models.tags, openTags),
    text: family('text', models.text, openText),
    clipImages: family('clip', models.clip, openClipImages),
    clipTexts: (model: ClipModel) => family(`clip-text.${model.id}`, model, openClipTexts),
    sentences: family('sentences', models.sentences, openSentences),
    conse: family('sentences.conse', models.sentences, async (all, model) =>
      openConse(await openSentences(all, model), model.dimension),
    ),
    speech: family('speech', models.speech, openSpeech),
    hasObjects: models.objects !== undefined,
  };
}

const getFamily = (key: string) => key.replace(/\..*/, '');

async function analyze(
  families: Families,
  picture: Pixels,
  tasks: readonly TaskName[],
): Promise<Analysis> {
  const wanted = new Set(tasks);
  const forMeaning = wanted.has('embedding') && !families.hasClip;
  const results: { -readonly [T in TaskName]?: TaskResults[T] } = {};
  if (wanted.has('faces')) results.faces = await findFaces(families, picture);
  let objects: readonly DetectedObject[] = [];
  let labels: readonly Label[] = [];
  if (wanted.has('objects') || (forMeaning && families.hasObjects)) {
    objects = await families.objects((find) => find(picture));
  }
  if (wanted.has('labels') || forMeaning) {
    labels = await families.tags(({ label }) => label(picture));
  }
  if (wanted.has('objects')) results.objects = objects;
  if (wanted.has('labels')) results.labels = labels;
  if (wanted.has('feature')) results.feature = await families.tags((tags) => tags.feature(picture));
  if (wanted.has('embedding')) {
    results.embedding = families.hasClip
      ? await families.clipImages((embed) => embed(picture))
      : await families.conse((conse) => conse.image(labels, objects));
  }
  if (wanted.has('text')) results.text = await families.text((read) => read(picture));
  const isLabelled = wanted.has('labels');
  return {
    picture: { width: picture.width, height: picture.height },
    colours: isLabelled ? [...findColours(picture), ...findThingColours(picture, objects)] : [],
    layout: isLabelled ? computeLayout(picture) : undefined,
    results,
  };
}

const findFaces = (families: Families, picture: Pixels): Promise<Face[]> =>
  families.faces(async ({ detect, embed }) => {
    const found = await detect(picture);
    return oneByOne(found, async (face) => ({ ...face, vector: await embed(picture, face) }));
  });

const embedFaces = (families: Families, picture: Pixels, faces: readonly FacePlace[]) =>
  families.faces(({ embed }) => oneByOne(faces, (face) => embed(picture, face)));

/** Sequential: the models use every core by themselves. */
async function oneByOne<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
