import { ERROR_TEXTS, findText } from '../../base/error-texts.ts';
import { t } from '../../base/i18n.ts';

const DENIED = t('Safelight may not read this file.');
const GONE = t('This file is no longer there, or its name cannot be read.');
const LINK = t('This is a symbolic link, which is not followed.');
const SPECIAL = t('This is no ordinary file.');
const UNREAD = t('The disk cannot read this file.');
const DAMAGED = t('The ZIP file is damaged. Download it again.');
const ENCRYPTED = t('It is encrypted.');
const UNSAFE = t('The ZIP file cannot be unpacked safely.');
const NO_MEDIA = t('This is no photo or video that can be read.');

/** By what the server says, in English, of a file that is not imported. */
export const FILE_REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'Entries of the archive overlap: nothing of it is unpacked': UNSAFE,
    'It is a symbolic link': LINK,
    'It is compressed in a way that is not supported': t(
      'It is compressed in a way that is not supported.',
    ),
    'It is encrypted': ENCRYPTED,
    'It is gone': GONE,
    'It is gone, or its name is not in UTF-8': GONE,
    'It is no ZIP archive': ERROR_TEXTS.archive_not_zip,
    'It is no regular file': SPECIAL,
    'It is a .tgz archive: choose ZIP when you order the export': ERROR_TEXTS.archive_tgz,
    'Its bytes in the archive are damaged: download the archive again': DAMAGED,
    'Its name leads out of the archive, or is too long': t('The name of this file cannot be used.'),
    'The archive ends early: download it again': t(
      'The ZIP file is incomplete. Download it again.',
    ),
    'The archive has another entry of this name': t('The ZIP file has another file of this name.'),
    'The archive has too many entries': UNSAFE,
    'The archive is damaged: download it again': DAMAGED,
    'The archive is encrypted': ENCRYPTED,
    'The archive would unpack to far more than its own size: nothing of it is unpacked': UNSAFE,
    'The disk cannot read it': UNREAD,
    'The file changed while it was read': t('The file changed while it was read. Try again.'),
    'The file is no picture': NO_MEDIA,
    'The network storage cannot read it': UNREAD,
    'The picture cannot be decoded': NO_MEDIA,
    'The user as whom Safelight runs may not read it': DENIED,
    'There is neither picture nor sound in this file': NO_MEDIA,
    'There is no picture in this file': NO_MEDIA,
  }),
);

/** Returns why a file is not imported; the words of a program, which are English, follow a sentence. */
export const describeFileReason = (reason: string): string =>
  FILE_REASONS.get(reason) ??
  findText(reason) ??
  t('It could not be imported: {reason}', { reason });
