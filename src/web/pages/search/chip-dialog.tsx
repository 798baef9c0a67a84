import { includesText } from '../../../core/fold-text.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { getLabel } from './chip-labels.ts';
import { chipValuesQuery, yearsQuery } from '../../data/search/queries.ts';
import {
  type Chip,
  toChip,
  toDaysChip,
  toFacet,
  toYearChip,
  type Query,
} from '../../data/search/query.ts';
import { t } from '../../base/i18n.ts';
import { formatNumber } from '../../base/format.ts';

type Props = {
  chip: Chip;
  /** The search without this chip. */
  rest: Query;
  /** Whether it says the year of a month. */
  hasYears: boolean;
  /** Without a chip, the search is about any value. */
  onChoose: (chip?: Chip) => void;
  onClose: () => void;
};

/** Another value in the place of a chip's. */
export function ChipDialog(props: Props) {
  const { chip, hasYears, onClose } = props;
  return (
    <Dialog title={TITLES[chip.field] ?? t('Search for something else')} onClose={onClose}>
      {hasYears ? (
        <Years {...props} />
      ) : chip.field === 'takenAt' ? (
        <Days {...props} />
      ) : chip.field === 'text' ? (
        <Text {...props} />
      ) : (
        <Values {...props} />
      )}
    </Dialog>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  takenAt: t('When'),
  year: t('When'),
  text: t('What the pictures show'),
  personIds: t('Who'),
  city: t('Where'),
  state: t('Where'),
  country: t('Where'),
  make: t('Camera'),
  model: t('Camera'),
  lensModel: t('Lens'),
  type: t('Photos or videos'),
  tagIds: t('Tag'),
  rating: t('Rating'),
};

/** The day of what a clock showed, as an input of dates wants it. */
function toDateInput(instant: unknown): string {
  if (typeof instant !== 'string') return '';
  const at = new Date(instant);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function Days({ chip, onChoose }: Props) {
  const { takenAfter, takenBefore } = (chip.value ?? {}) as Record<string, unknown>;
  const form = useForm(async ({ from = '', to = '' }) => {
    if (from && to && from > to) throw new Error(t('The first day comes after the last one.'));
    if (!from && !to) throw new Error(t('Enter at least one day.'));
    onChoose(toDaysChip(from, to));
    await Promise.resolve();
  });
  return (
    <Form state={form} action={t('Search')}>
      <Field label={t('From')} name="from" type="date" defaultValue={toDateInput(takenAfter)} />
      <Field label={t('To')} name="to" type="date" defaultValue={toDateInput(takenBefore)} />
    </Form>
  );
}

/** The years that have results of the month or day. */
function Years({ rest, onChoose }: Props) {
  const { data, error } = useQuery(yearsQuery(rest));
  return (
    <>
      {error && <p role="alert">{error.message}</p>}
      <ul className="values">
        <li>
          <button className="value" onClick={() => onChoose()}>
            <span>{t('Any year')}</span>
          </button>
        </li>
        {data?.map(({ date, count }) => (
          <li key={date}>
            <button className="value" onClick={() => onChoose(toYearChip(date))}>
              <span>{date}</span> <small>{formatNumber(count)}</small>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Text({ chip, onChoose }: Props) {
  const form = useForm(async ({ text = '' }) => {
    onChoose({ ...chip, value: text });
    await Promise.resolve();
  });
  return (
    <Form state={form} action={t('Search')}>
      <Field label={t('Words')} name="text" defaultValue={String(chip.value)} autoFocus />
    </Form>
  );
}

function Values({ chip, rest, onChoose }: Props) {
  const field = toFacet(chip.field);
  const [part, setPart] = useState('');
  const { data, error } = useQuery(chipValuesQuery(chip, rest));
  const chips = (data ?? []).map((value) => ({ count: value.count, chip: toChip(field, value) }));
  const fitting = chips.filter(({ chip: { label } }) => includesText(label, part.trim()));
  return (
    <>
      {error && <p role="alert">{error.message}</p>}
      {chips.length > 8 && (
        <div className="field">
          <input
            aria-label={t('Find in the list')}
            placeholder={t('Find')}
            value={part}
            onChange={(event) => setPart(event.target.value)}
          />
        </div>
      )}
      {data && chips.length === 0 && (
        <p className="muted">{t('There is nothing else to choose.')}</p>
      )}
      <ul className="values">
        {fitting.map(({ chip: other, count }) => (
          <li key={String(other.value)}>
            <button className="value" onClick={() => onChoose(other)}>
              <span>{getLabel(other)}</span> <small>{formatNumber(count)}</small>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
