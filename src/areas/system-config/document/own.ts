import { isAbsolute } from 'node:path';
import { t } from 'elysia';
import { isHostEntry } from '../../../core/allowed-hosts.ts';
import { PROFILES } from '../../../core/machine.ts';
import { MEDIA_FOLDERS } from './media-folders.ts';
import { FORMER_FILES } from '../../../db/tables/physical-deduplication.ts';
import { expected, stringEnum, Uuid } from '../../../http/schemas.ts';

const Host = t.String({
  maxLength: 300,
  ...expected('host name, address or network', isHostEntry),
});

const SafelightConfigWebhooksDto = t.Object(
  {
    /** Host names, addresses and networks that webhooks of workflows may be sent to. */
    hosts: t.Array(Host, { maxItems: 200 }),
    /** Key of the signatures. */
    secret: t.String({ maxLength: 500 }),
  },
  { title: 'SafelightConfigWebhooksDto' },
);

const SafelightConfigPhysicalDeduplicationDto = t.Object(
  {
    /** Account whose files are retained before those of others; null: no plan can be applied. */
    masterUserId: t.Nullable(Uuid),
    /** Treatment of the files of copies. */
    formerFiles: stringEnum(FORMER_FILES, { title: 'DedupFormerFiles' }),
  },
  { title: 'SafelightConfigPhysicalDeduplicationDto' },
);

const Folder = t.String({
  maxLength: 4_096,
  ...expected('absolute path', isAbsolute),
});

const SafelightConfigIntegrityDto = t.Object(
  {
    /** Copies of the data folder, or of its folder `originals`, that damaged files are repaired from. */
    backupFolders: t.Array(Folder, { maxItems: 20 }),
  },
  { title: 'SafelightConfigIntegrityDto' },
);

const SafelightConfigLibrariesDto = t.Object(
  {
    /** Folders that import paths of libraries are chosen from on the page. Others can be typed. */
    folders: t.Array(Folder, { maxItems: 100 }),
    /** Whether changes of metadata are written to XMP files beside the originals of libraries. */
    writeSidecars: t.Boolean(),
  },
  { title: 'SafelightConfigLibrariesDto' },
);

const SafelightConfigMachineDto = t.Object(
  {
    /** Kind of the machine; auto: as the command line says or its memory. */
    profile: stringEnum(['auto', ...PROFILES], { title: 'SafelightConfigMachineProfile' }),
  },
  { title: 'SafelightConfigMachineDto' },
);

/** Sections beside Immich's document. */
export const SafelightConfigDto = t.Object(
  {
    webhooks: SafelightConfigWebhooksDto,
    physicalDeduplication: SafelightConfigPhysicalDeduplicationDto,
    integrity: SafelightConfigIntegrityDto,
    libraries: SafelightConfigLibrariesDto,
    machine: SafelightConfigMachineDto,
  },
  { title: 'SafelightConfigDto' },
);
export type SafelightConfig = typeof SafelightConfigDto.static;

export const OWN_DEFAULTS: SafelightConfig = {
  webhooks: { hosts: [], secret: '' },
  physicalDeduplication: { masterUserId: null, formerFiles: 'leave' },
  integrity: { backupFolders: [] },
  libraries: { folders: MEDIA_FOLDERS, writeSidecars: false },
  machine: { profile: 'auto' },
};
export const OWN_SECTIONS = Object.keys(OWN_DEFAULTS) as readonly (keyof SafelightConfig)[];
