import { QUEUES } from '../../../parts/admin/queue-titles.ts';
import {
  choice,
  choices,
  type ConfigPath,
  lines,
  longText,
  number,
  type Member,
  secret,
  type Subject,
  text,
  toggle,
} from '../../../data/admin/config/members.ts';
import {
  ACCELERATORS,
  AUDIO_CODECS,
  COLOR_SPACES,
  CONTAINERS,
  IMAGE_FORMATS,
  LOG_LEVELS,
  PRESETS,
  RESOLUTIONS,
  TONE_MAPS,
  TRANSCODE_POLICIES,
  VIDEO_CODECS,
} from './options.ts';
import { SIGN_ON } from './sign-on.ts';
import { t } from '../../../base/i18n.ts';

const name = (what: string, property: string): string =>
  t('{what}: {property}', { what, property });

const picture = (kind: 'thumbnail' | 'preview', what: string, maximum: string): Member[] => [
  number(`image.${kind}.size`, name(what, t('short side in pixels')), maximum),
  choice(IMAGE_FORMATS, `image.${kind}.format`, name(what, t('format'))),
  number(`image.${kind}.quality`, name(what, t('quality')), t('From 1 to 100.')),
  toggle(`image.${kind}.progressive`, name(what, t('progressive JPEG'))),
];

const JOBS = [
  ['metadataExtraction', QUEUES.metadataExtraction.title],
  ['thumbnailGeneration', QUEUES.thumbnailGeneration.title],
  ['editor', t('Edited pictures')],
  ['videoConversion', QUEUES.videoConversion.title],
  ['smartSearch', QUEUES.smartSearch.title],
  ['faceDetection', QUEUES.faceDetection.title],
  ['ocr', QUEUES.ocr.title],
  ['backgroundTask', QUEUES.backgroundTask.title],
  ['notifications', t('Notifications')],
  ['search', t('Search')],
  ['workflow', t('Workflows')],
] as const;

const IMMICH = '/admin/config';

/** The members of the configuration that have an effect on this server, by subject. */
export const SUBJECTS: readonly Subject[] = [
  {
    id: 'server',
    title: t('Server'),
    document: IMMICH,
    members: [
      text(
        'server.externalDomain',
        t('Address of this page'),
        t('Links in mail and shared links begin with it.'),
      ),
      longText(
        'server.loginPageMessage',
        t('Message on the login page'),
        t('Everybody can read it without an account.'),
      ),
      longText(
        'theme.customCss',
        t('Custom CSS'),
        t('Passed on to apps that use it. This page does not.'),
      ),
      toggle('logging.enabled', t('Write a log')),
      choice(LOG_LEVELS, 'logging.level', t('Log level')),
    ],
  },
  {
    id: 'accounts',
    title: t('Accounts and trash'),
    document: IMMICH,
    members: [
      toggle(
        'passwordLogin.enabled',
        t('Log in by password'),
        t('Switched off, people log in with the login provider only. Sessions go on.'),
      ),
      toggle(
        'server.publicUsers',
        t('Accounts see each other'),
        t('Switched off, nobody finds other accounts to share with.'),
      ),
      number(
        'user.deleteDelay',
        t('Days until a deleted account is removed'),
        t('Until then it can be restored.'),
      ),
      number('trash.days', t('Days in the trash'), t('0 keeps items until the trash is emptied.')),
      toggle(
        'trash.enabled',
        t('Apps use the trash'),
        t('Switched off, they delete at once. This page still uses it.'),
      ),
    ],
  },
  SIGN_ON,
  {
    id: 'recognition',
    title: t('Recognition'),
    help: t('When it is switched on again, it catches up on what it has missed.'),
    document: IMMICH,
    members: [
      toggle(
        'machineLearning.enabled',
        t('Recognize what photos show'),
        t('Switched off, none of the following runs.'),
      ),
      toggle('machineLearning.clip.enabled', QUEUES.smartSearch.title, QUEUES.smartSearch.text),
      toggle(
        'machineLearning.facialRecognition.enabled',
        QUEUES.faceDetection.title,
        QUEUES.faceDetection.text,
      ),
      number(
        'machineLearning.facialRecognition.minFaces',
        t('Minimum number of faces of a person'),
        t('Apps leave out people who are seen less often. This page does not.'),
      ),
      number(
        'machineLearning.facialRecognition.minScore',
        t('Minimum confidence of a face'),
        t('From 0.1 to 1. Applies to what is recognized from then on.'),
      ),
      number(
        'machineLearning.facialRecognition.maxDistance',
        t('Maximum distance between faces of one person'),
        t('From 0.1 to 0.8. Applies to what is recognized from then on.'),
      ),
      toggle(
        'metadata.faces.import',
        t('Import faces that other programs have named'),
        t(
          'Names and boxes of digiKam, Picasa, Lightroom and Windows, from photos and XMP files that are read from then on.',
        ),
      ),
      toggle('machineLearning.ocr.enabled', QUEUES.ocr.title, QUEUES.ocr.text),
      number(
        'machineLearning.ocr.minDetectionScore',
        t('Minimum confidence of a text area'),
        t('From 0.1 to 1. Applies to what is recognized from then on.'),
      ),
      number(
        'machineLearning.ocr.minRecognitionScore',
        t('Minimum confidence of the characters'),
        t('From 0.1 to 1. Applies to what is recognized from then on.'),
      ),
      toggle(
        'machineLearning.duplicateDetection.enabled',
        QUEUES.duplicateDetection.title,
        QUEUES.duplicateDetection.text,
      ),
    ],
  },
  {
    id: 'places',
    title: t('Map and places'),
    document: IMMICH,
    members: [
      toggle('map.enabled', t('Map'), t('Shows where photos were taken.')),
      toggle(
        'reverseGeocoding.enabled',
        t('Names of places'),
        t('Finds the town and country of coordinates, on this server.'),
      ),
    ],
  },
  {
    id: 'pictures',
    title: t('Pictures for the screen'),
    help: t(
      'Applies to new previews. A forced start of the queue “Previews” creates all of them again.',
    ),
    document: IMMICH,
    members: [
      ...picture('thumbnail', t('Thumbnails'), t('At most 1080.')),
      ...picture('preview', t('Large pictures'), t('At most 2160.')),
      toggle(
        'image.fullsize.enabled',
        name(t('Full size'), t('make them')),
        t('For pictures that browsers cannot show.'),
      ),
      choice(IMAGE_FORMATS, 'image.fullsize.format', name(t('Full size'), t('format'))),
      number(
        'image.fullsize.quality',
        name(t('Full size'), t('quality')),
        t('From 1 to 100. Edited pictures have it too.'),
      ),
      choice(COLOR_SPACES, 'image.colorspace', t('Colors of pictures with a wide gamut')),
    ],
  },
  {
    id: 'videos',
    title: t('Videos for the screen'),
    help: t(
      'Applies to new videos. A forced start of the queue “Videos” converts all of them again.',
    ),
    document: IMMICH,
    members: [
      toggle(
        'ffmpeg.realtime.enabled',
        t('Convert while watching'),
        t('Videos start before they are converted. Each viewer needs a processor core.'),
      ),
      choice(TRANSCODE_POLICIES, 'ffmpeg.transcode', t('Videos to convert')),
      choices(
        VIDEO_CODECS,
        'ffmpeg.acceptedVideoCodecs',
        t('Video formats that are not converted'),
      ),
      choices(
        AUDIO_CODECS,
        'ffmpeg.acceptedAudioCodecs',
        t('Sound formats that are not converted'),
      ),
      choices(CONTAINERS, 'ffmpeg.acceptedContainers', t('File formats that are not converted')),
      choice(VIDEO_CODECS, 'ffmpeg.targetVideoCodec', t('Video format of converted videos')),
      choice(AUDIO_CODECS, 'ffmpeg.targetAudioCodec', t('Sound format of converted videos')),
      choice(
        RESOLUTIONS,
        'ffmpeg.targetResolution',
        t('Resolution'),
        t('The default means 1080p here.'),
      ),
      number('ffmpeg.crf', t('Constant quality (CRF)'), t('From 0 to 51, the lower the better.')),
      choice(PRESETS, 'ffmpeg.preset', t('Speed'), t('The default means veryfast here.')),
      text(
        'ffmpeg.maxBitrate',
        t('Maximum bitrate'),
        t('For example 4500k or 4.5M; 0 for no limit.'),
      ),
      toggle('ffmpeg.twoPass', t('Encode in two passes'), t('Only with a maximum bitrate.')),
      choice(TONE_MAPS, 'ffmpeg.tonemap', t('Tone mapping of HDR')),
      choice(ACCELERATORS, 'ffmpeg.accel', t('Hardware')),
      number('ffmpeg.threads', t('Threads'), t('0 leaves it to the program.')),
      number('ffmpeg.bframes', t('Consecutive B-frames'), t('-1 leaves it to the program.')),
      number('ffmpeg.refs', t('Reference frames'), t('0 leaves it to the program.')),
      number('ffmpeg.gopSize', t('Frames between keyframes'), t('0 leaves it to the program.')),
    ],
  },
  {
    id: 'jobs',
    title: t('Concurrent jobs'),
    help: t('The default leaves the number to the machine.'),
    document: IMMICH,
    members: JOBS.map(([queue, title]) =>
      number(`job.${queue}.concurrency` satisfies ConfigPath, title),
    ),
  },
  {
    id: 'nightly',
    title: t('Backup and nightly tasks'),
    hasTimes: true,
    document: IMMICH,
    members: [
      toggle('backup.database.enabled', QUEUES.backupDatabase.title, QUEUES.backupDatabase.text),
      text(
        'backup.database.cronExpression',
        t('Time of the backup'),
        t('As a cron expression: 0 02 * * * is each day at 2.'),
      ),
      number('backup.database.keepLastAmount', t('Backups to keep')),
      text('nightlyTasks.startTime', t('Start of the nightly tasks'), t('For example 00:30.')),
      toggle(
        'nightlyTasks.databaseCleanup',
        t('Clean up every night'),
        t('The trash, notifications and memories.'),
      ),
      toggle(
        'nightlyTasks.generateMemories',
        t('New memories each night'),
        t('Existing ones stay.'),
      ),
    ],
  },
  {
    id: 'libraries',
    title: t('External libraries'),
    hasTimes: true,
    document: IMMICH,
    members: [
      toggle('library.scan.enabled', t('Look for changed files at set times')),
      text(
        'library.scan.cronExpression',
        t('Time of the scan'),
        t('As a cron expression: 0 02 * * * is each day at 2.'),
      ),
      toggle('library.watch.enabled', t('Add new and changed files at once')),
    ],
  },
  {
    id: 'folders',
    title: t('Folders of external libraries'),
    document: '/admin/config/safelight',
    members: [
      lines(
        'libraries.folders',
        t('Folders to choose from, one path per line'),
        t('Only these and those below them are shown when a folder is chosen.'),
      ),
      toggle(
        'libraries.writeSidecars',
        t('Write changes to XMP files beside the originals'),
        t(
          'In folders of external libraries: the date, place, rating, description and tags that people change from then on, for other programs. Photos and videos themselves are never changed. Uploaded files have no such files: downloads can contain them.',
        ),
      ),
    ],
  },
  {
    id: 'integrity',
    title: t('Integrity'),
    document: '/admin/config/safelight',
    members: [
      lines(
        'integrity.backupFolders',
        t('Backups of the data folder, one path per line'),
        t('Damaged and missing files can be repaired from them.'),
      ),
    ],
  },
  {
    id: 'webhooks',
    title: t('Webhooks'),
    help: t('Workflows of all accounts can send only to these hosts.'),
    document: '/admin/config/safelight',
    members: [
      lines(
        'webhooks.hosts',
        t('Hosts, one per line'),
        t(
          'Names, addresses or networks. Private addresses, such as 192.168.1.0/24, must be listed even if a name resolves to them.',
        ),
      ),
      secret(
        'webhooks.secret',
        t('Secret that signs them'),
        t('At least 16 characters. Leave empty to keep the current one.'),
      ),
    ],
  },
];
