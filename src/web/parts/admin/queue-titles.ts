import type { Queues } from '../../data/types.ts';
import { t } from '../../base/i18n.ts';

export const QUEUES = {
  metadataExtraction: {
    title: t('Metadata'),
    text: t('Dates, places and cameras from the files'),
  },
  thumbnailGeneration: { title: t('Previews'), text: t('Small and large pictures for the screen') },
  videoConversion: { title: t('Videos'), text: t('Copies that every browser can play') },
  sidecar: { title: t('Sidecars'), text: t('Metadata that is stored beside the files') },
  faceDetection: { title: t('Faces'), text: t('Finds faces in photos') },
  facialRecognition: { title: t('People'), text: t('Groups faces by person') },
  smartSearch: { title: t('Smart search'), text: t('Finds photos by what they show') },
  duplicateDetection: { title: t('Duplicates'), text: t('Finds pictures that look the same') },
  ocr: { title: t('Text in pictures'), text: t('Reads text in photos') },
  backgroundTask: { title: t('Housekeeping'), text: t('Maintenance and small jobs') },
  backupDatabase: {
    title: t('Database backup'),
    text: t('Saves details that are not in the files'),
  },
  library: { title: t('External libraries'), text: t('Looks for changes in external libraries') },
  integrityCheck: { title: t('Integrity'), text: t('Checks every file for damage') },
} satisfies Partial<Record<keyof Queues, { title: string; text: string }>>;

export const QUEUE_NAMES = Object.keys(QUEUES) as (keyof typeof QUEUES)[];
