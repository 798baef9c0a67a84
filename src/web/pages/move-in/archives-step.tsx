import { X } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { findZipFault, uploadArchives } from '../../data/move-in/archive-upload.ts';
import { createArchives } from '../../data/move-in/move-in-data.ts';
import { IconButton } from '../../ui/elements.tsx';
import { Form, useForm } from '../../ui/form.tsx';
import styles from './archives.module.css';
import { ExportChoices, readExportChoices } from './export-choices.tsx';
import { PickArchives } from './pick-archives.tsx';

type Chosen = { file: File; fault: string | undefined };

const isSame = (one: File, other: File) => one.name === other.name && one.size === other.size;

/** The ZIP files of an export, which this browser uploads. */
export function ArchivesStep() {
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const files = chosen.map(({ file }) => file);
  const form = useForm(async (values) => {
    const archives = files.map(({ name, size }) => ({ name, size }));
    const moveIn = await createArchives({ archives, ...readExportChoices(values) });
    void uploadArchives(moveIn, files);
  });
  const add = async (picked: readonly File[]) => {
    const checked = await Promise.all(
      picked.map(async (file) => ({ file, fault: await findZipFault(file) })),
    );
    setChosen((old) => {
      const added = checked.filter(({ file }) => !old.some((one) => isSame(one.file, file)));
      return [...old, ...added].toSorted((one, other) => compare(one.file.name, other.file.name));
    });
  };
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const isOff = files.length === 0 || chosen.some(({ fault }) => fault);
  return (
    <>
      <p>
        {t(
          'Choose all ZIP files of the export together, as they were downloaded. They are uploaded, unpacked and checked; you decide after that whether they are imported.',
        )}
      </p>
      <Form state={form} action={t('Upload')} isOff={isOff}>
        <PickArchives label={t('Choose ZIP files')} onPick={(picked) => void add(picked)} />
        {chosen.length > 0 && (
          <>
            <ul className={styles.files} aria-label={t('Chosen files')}>
              {chosen.map(({ file, fault }) => (
                <li key={`${file.name} ${file.size}`}>
                  <span>
                    {file.name} <small>{formatBytes(file.size)}</small>
                  </span>
                  <IconButton
                    icon={X}
                    label={t('Remove {name}', { name: file.name })}
                    onClick={() => setChosen((old) => old.filter((one) => one.file !== file))}
                  />
                  {fault && <p className={styles.fault}>{fault}</p>}
                </li>
              ))}
            </ul>
            <p className="muted">
              {t('{count, plural, one {# file} other {# files}}, {size}', {
                count: files.length,
                size: formatBytes(total),
              })}
            </p>
          </>
        )}
        <ExportChoices />
      </Form>
    </>
  );
}

const compare = new Intl.Collator(undefined, { numeric: true }).compare;
