import { t } from '../../base/i18n.ts';

/** Choices for the folders, people and dates of an export. */
export const ExportChoices = () => (
  <>
    <Choice
      name="albumsFromFolders"
      label={t('Make an album of each folder that is no album of an export')}
    />
    <Choice name="peopleAsTags" label={t('Turn names of people in an export into tags')} />
    <Choice
      name="trustExportDates"
      label={t('Trust the dates of an export more than those of scanned photos')}
    />
  </>
);

export const readExportChoices = (values: Readonly<Record<string, string>>) => ({
  albumsFromFolders: values['albumsFromFolders'] === 'on',
  peopleAsTags: values['peopleAsTags'] === 'on',
  trustExportDates: values['trustExportDates'] === 'on',
});

const Choice = ({ name, label }: { name: string; label: string }) => (
  <label className="check">
    <input type="checkbox" name={name} /> {label}
  </label>
);
