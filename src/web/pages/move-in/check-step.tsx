import { formatBytes, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { MoveIn } from '../../data/types.ts';
import { Form, useForm } from '../../ui/form.tsx';
import { deleteMoveIn, startMoveIn } from '../../data/move-in/move-in-data.ts';
import { CancelMove } from './cancel-move.tsx';
import { Failures, ReportLink } from './failures.tsx';
import { KeyField } from './server-step.tsx';

/** The things that the account has there, and whether they have room here. */
export function CheckStep({ moveIn }: { moveIn: MoveIn }) {
  const { found, url, archives, program, failures, noted, needsKey, fitsQuota, fitsDisk } = moveIn;
  const form = useForm(({ key }) => startMoveIn(moveIn, key?.trim()));
  return (
    <>
      <p>
        {describePlace(moveIn)} {program && PROGRAMS[program]}
      </p>
      <dl className="counts">
        <Count label={t('Photos')} value={formatNumber(found.photos)} />
        <Count label={t('Videos')} value={formatNumber(found.videos)} />
        <Count label={t('Albums')} value={formatNumber(found.albums)} />
        {url !== null && <Count label={t('Tags')} value={formatNumber(found.tags)} />}
        {found.bytes !== null && <Count label={t('Size')} value={formatBytes(found.bytes)} />}
      </dl>
      <p role="status">
        {fitsQuota === false && t('Your storage quota may not be enough for all of it.')}{' '}
        {fitsDisk === false && t('The disk of this server may not be enough for all of it.')}
        {fitsQuota && fitsDisk && t('There is enough space for all of it.')}
        {found.bytes === null &&
          t('The sizes of so many files are not known before they are copied.')}
      </p>
      <p className="muted">{describeLeftOut(moveIn)}</p>
      {failures > 0 && <Failures moveIn={moveIn} />}
      {failures + noted > 0 && <ReportLink moveIn={moveIn} />}
      <Form
        state={form}
        action={t('Start the move')}
        extra={
          archives ? (
            <CancelMove moveIn={moveIn} />
          ) : (
            <button
              className="button"
              type="button"
              onClick={() => void attempt(() => deleteMoveIn(moveIn))}
            >
              {t('Back')}
            </button>
          )
        }
      >
        {needsKey && <KeyField error={form.fields['key']} />}
      </Form>
    </>
  );
}

function describePlace({ url, path, archives }: MoveIn): string {
  if (archives)
    return t('Found in {count, plural, one {# ZIP file} other {# ZIP files}}:', {
      count: archives.parts.length,
    });
  return path === null ? t('Found at {url}:', { url: url ?? '' }) : t('Found in {path}:', { path });
}

export function Count({ label, value }: { label: string; value: string }) {
  return (
    <div className="count">
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Returns what stays behind, and why. */
export function describeLeftOut({ url, found }: MoveIn): string {
  if (url === null)
    return t('Items in the trash of an export are left out. Faces are recognized again.');
  return [
    t(
      'Not taken over: what is locked or in the trash, which a key does not see; shared links, partners and comments, which belong to accounts there.',
    ),
    found.people !== 0 &&
      t(
        'Faces are recognized again. People get the names that their faces had there, where that is certain.',
      ),
  ]
    .filter(Boolean)
    .join(' ');
}

const PROGRAMS: Readonly<Record<NonNullable<MoveIn['program']>, string>> = {
  takeout: t('An export of Google Photos.'),
  icloud: t('An export of iCloud.'),
  photoprism: t('The library of PhotoPrism.'),
  immich: t('The originals of Immich.'),
  other: '',
};
