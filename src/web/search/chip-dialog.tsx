import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import { useLoad } from '../ui/use-load.ts';
import {
  ask,
  type Chip,
  chipOf,
  chipOfDays,
  facetOf,
  fetchFacets,
  filterOf,
  labelOf,
  NO_WORDS,
  type Query,
} from './query.ts';

type Props = {
  chip: Chip;
  /** The search without this chip. */
  rest: Query;
  onChoose: (chip: Chip) => void;
  onClose: () => void;
};

/** Another value in the place of a chip's. */
export function ChipDialog(props: Props) {
  const { chip, onClose } = props;
  return (
    <Dialog title={TITLES[chip.field] ?? 'Search for something else'} onClose={onClose}>
      {chip.field === 'takenAt' ? (
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
  takenAt: 'When',
  text: 'What the pictures show',
  personIds: 'Who',
  city: 'Where',
  state: 'Where',
  country: 'Where',
  make: 'Camera',
  model: 'Camera',
  lensModel: 'Lens',
  type: 'Photos or videos',
  tagIds: 'Tag',
  rating: 'Rating',
};

/** The day of what a clock showed, as an input of dates wants it. */
function dayOf(instant: unknown): string {
  if (typeof instant !== 'string') return '';
  const at = new Date(instant);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function Days({ chip, onChoose }: Props) {
  const { takenAfter, takenBefore } = (chip.value ?? {}) as Record<string, unknown>;
  const form = useForm(async ({ from = '', to = '' }) => {
    if (from && to && from > to) throw new Error('The first day comes after the last one.');
    if (!from && !to) throw new Error('Give at least one day.');
    onChoose(chipOfDays(from, to));
    await Promise.resolve();
  });
  return (
    <Form state={form} action="Search">
      <Field label="From" name="from" type="date" defaultValue={dayOf(takenAfter)} />
      <Field label="To" name="to" type="date" defaultValue={dayOf(takenBefore)} />
    </Form>
  );
}

function Text({ chip, onChoose }: Props) {
  const form = useForm(async ({ text = '' }) => {
    onChoose({ ...chip, value: text });
    await Promise.resolve();
  });
  return (
    <Form state={form} action="Search">
      <Field label="Words" name="text" defaultValue={String(chip.value)} autoFocus />
    </Form>
  );
}

const MANY = 100;

function Values({ chip, rest, onChoose }: Props) {
  const field = facetOf(chip.field);
  const [part, setPart] = useState('');
  const { data, error } = useLoad(async () => {
    const read = rest.words ? (await ask(rest.words, 1)).interpretation : NO_WORDS;
    const { facets } = await fetchFacets(filterOf(read, rest.chosen), [field], MANY);
    return facets[0]?.values.filter(({ value }) => value !== null) ?? [];
  });
  const chips = (data ?? []).map((value) => ({ count: value.count, chip: chipOf(field, value) }));
  const fitting = chips.filter(({ chip: { label } }) =>
    label.toLowerCase().includes(part.trim().toLowerCase()),
  );
  return (
    <>
      {error && <p role="alert">{error}</p>}
      {chips.length > 8 && (
        <div className="field">
          <input
            aria-label="Find in the list"
            placeholder="Find"
            value={part}
            onChange={(event) => setPart(event.target.value)}
          />
        </div>
      )}
      {data && chips.length === 0 && <p className="muted">There is nothing else to choose.</p>}
      <ul className="values">
        {fitting.map(({ chip: other, count }) => (
          <li key={String(other.value)}>
            <button className="value" onClick={() => onChoose(other)}>
              <span>{labelOf(other)}</span> <small>{count.toLocaleString()}</small>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
