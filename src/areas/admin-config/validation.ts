import { CronExpressionParser } from 'cron-parser';
import { badRequest, invalidField } from '../../core/errors.ts';
import { MAX_INT32 } from '../../http/schemas.ts';
import { PRESETS } from '../../media/video-settings.ts';
import type { AdminConfig } from '../system-config/index.ts';
import { readPath } from './paths.ts';
import Handlebars from 'handlebars';
import { STORAGE_OPTIONS } from './storage-options.ts';

/** Throws 400 for a value that has the right type and cannot work, naming it. */
export function requireValidValues(config: AdminConfig): void {
  requireValidSchedules(config);
  requireValidBackups(config);
  requireValidConcurrency(config);
  requireValidSizes(config);
  requireValidVideo(config);
  requireValidAddresses(config);
  requireValidRecognition(config);
  requireValidTemplate(config);
}

function requireValidVideo({ ffmpeg }: AdminConfig): void {
  const { preset, maxBitrate, targetResolution } = ffmpeg;
  if (!PRESETS.some((known) => known === preset)) {
    throw invalidField('ffmpeg.preset', `Must be one of ${PRESETS.join(', ')}`);
  }
  if (!/^\d{1,6}(\.\d{1,3})?[km]?$/i.test(maxBitrate)) {
    throw invalidField('ffmpeg.maxBitrate', 'Must be a bitrate, as 4500k or 4.5M; 0 for no limit');
  }
  const lines = Number(targetResolution);
  const isSize = Number.isInteger(lines) && lines >= MIN_LINES && lines <= MAX_LINES;
  if (targetResolution !== 'original' && !isSize) {
    throw invalidField(
      'ffmpeg.targetResolution',
      "Must be a number of lines, as 720, or 'original'",
    );
  }
}

const MIN_LINES = 144;
const MAX_LINES = 4320;

function requireValidSchedules(config: AdminConfig): void {
  const schedules = [
    'backup.database',
    'integrityChecks.checksumFiles',
    'integrityChecks.missingFiles',
    'integrityChecks.untrackedFiles',
    'library.scan',
  ];
  for (const schedule of schedules) {
    const path = `${schedule}.cronExpression`;
    const expression = readPath(config, path) as string;
    // The parser takes it for every minute.
    if (expression.trim() === '') throw invalidField(path, 'Invalid cron expression. It is empty');
    try {
      CronExpressionParser.parse(expression);
    } catch (error) {
      throw invalidField(path, `Invalid cron expression. ${(error as Error).message}`);
    }
  }
}

function requireValidBackups({ backup }: AdminConfig): void {
  const { keepLastAmount } = backup.database;
  if (!Number.isSafeInteger(keepLastAmount) || keepLastAmount < 1) {
    const path = 'backup.database.keepLastAmount';
    throw invalidField(path, 'Must be a whole number of at least 1');
  }
}

function requireValidConcurrency({ job }: AdminConfig): void {
  for (const [queue, { concurrency }] of Object.entries(job)) {
    if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
      throw invalidField(`job.${queue}.concurrency`, 'Must be a whole number of at least 1');
    }
  }
}

/** In pixels: a panorama is three or four times as long, and must fit into memory. */
const MAX_SIZES = { thumbnail: 1080, preview: 2160 };

function requireValidSizes({ image }: AdminConfig): void {
  for (const [kind, most] of Object.entries(MAX_SIZES)) {
    const { size } = image[kind as keyof typeof MAX_SIZES];
    if (size > most) throw invalidField(`image.${kind}.size`, `Must be at most ${most}`);
  }
}

/** Addresses that people follow and secrets are sent to, with the name that Immich gives them. */
const ADDRESSES = {
  'server.externalDomain': 'External domain',
  'oauth.accountManagementUrl': 'Account management URL',
  'oauth.endSessionEndpoint': 'endSessionEndpoint',
  'oauth.issuerUrl': 'Issuer URL',
};

function requireValidAddresses(config: AdminConfig): void {
  for (const [path, name] of Object.entries(ADDRESSES)) {
    const address = readPath(config, path) as string;
    if (address !== '' && !/^https?:$/.test(URL.parse(address)?.protocol ?? '')) {
      throw invalidField(path, `${name} must be an empty string or a valid URL`);
    }
  }
  const { mobileOverrideEnabled, mobileRedirectUri } = config.oauth;
  if (mobileOverrideEnabled && mobileRedirectUri !== '' && !URL.canParse(mobileRedirectUri)) {
    const message = 'Mobile redirect URI must be an empty string or a valid URL';
    throw invalidField('oauth.mobileRedirectUri', message);
  }
}

/** Members of `machineLearning` with their ranges. */
const RECOGNITION_RANGES: readonly (readonly [path: string, least: number, most: number])[] = [
  ['facialRecognition.minScore', 0.1, 1],
  ['facialRecognition.maxDistance', 0.1, 0.8],
  ['ocr.minDetectionScore', 0.1, 1],
  ['ocr.minRecognitionScore', 0.1, 1],
];

function requireValidRecognition(config: AdminConfig): void {
  for (const [member, least, most] of RECOGNITION_RANGES) {
    const path = `machineLearning.${member}`;
    const value = readPath(config, path) as number;
    if (value < least || value > most) {
      throw invalidField(path, `Must be from ${least} to ${most}`);
    }
  }
  const { minFaces } = config.machineLearning.facialRecognition;
  if (!Number.isInteger(minFaces) || minFaces < 1 || minFaces > MAX_INT32) {
    const path = 'machineLearning.facialRecognition.minFaces';
    throw invalidField(path, `Must be a whole number from 1 to ${MAX_INT32}`);
  }
}

function requireValidTemplate({ storageTemplate }: AdminConfig): void {
  if (!isStorageTemplate(storageTemplate.template)) throw badRequest('Invalid storage template');
}

// Immich's storage templates are Handlebars templates, which it compiles and renders once, strictly, for a
// photo of an album. Originals are stored by their content here: a template is kept for its page only.

const { presetOptions: _, ...tokens } = STORAGE_OPTIONS;
const DATES = Object.values(tokens).flat();
/** Names that a template may show. */
const NAMES = [
  'filename',
  'ext',
  'filetype',
  'filetypefull',
  'assetId',
  'assetIdShort',
  'album',
  'make',
  'model',
  'lensModel',
  ...DATES.flatMap((token) => [token, `album-startDate-${token}`, `album-endDate-${token}`]),
];
const PHOTO = Object.fromEntries(NAMES.map((name) => [name, name]));

const handlebars = Handlebars.create();
// Ours writes nothing to the console.
handlebars.registerHelper('log', () => '');

/**
 * A helper that there is not is refused when the template is compiled, and so is `each`: there is no list,
 * and nested over all names it would never end.
 */
const OPTIONS = { strict: true, knownHelpersOnly: true, knownHelpers: { each: false } };

/** Returns whether it can be rendered for a photo of an album. */
function isStorageTemplate(template: string): boolean {
  try {
    handlebars.compile(template, OPTIONS)(PHOTO);
    return true;
  } catch {
    return false;
  }
}
