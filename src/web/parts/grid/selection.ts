import { type Place, findPlace, type Plan } from '../../data/timeline/sections.ts';

/** The selected photos, and the one selected last, from which Shift extends the selection. */
export type Selection = {
  ids: ReadonlySet<string>;
  from: string | undefined;
  /** While Shift+arrows or a drag span a range: where it begins, and what was selected before. */
  span?: { anchor: string; before: ReadonlySet<string> };
};

export const EMPTY_SELECTION: Selection = { ids: new Set(), from: undefined };

export function toggleSelected(selection: Selection, id: string): Selection {
  const ids = new Set(selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return { ids, from: id };
}

/** Adds or takes away many at once: all are chosen already → none is afterwards. */
export function toggleAllSelected(selection: Selection, all: readonly string[]): Selection {
  const ids = new Set(selection.ids);
  if (all.every((id) => ids.has(id))) for (const id of all) ids.delete(id);
  else for (const id of all) ids.add(id);
  return { ids, from: all[0] };
}

/** Everything between the last choice and this one. Months between must be loaded. */
export function extendSelection(selection: Selection, plan: Plan, to: Place): Selection {
  const start = selection.from === undefined ? undefined : findPlace(plan, selection.from);
  const ids = new Set(selection.ids);
  for (const id of listIdsBetween(plan, start ?? to, to)) ids.add(id);
  return { ids, from: plan.sections[to.section]?.month.columns?.id[to.item] };
}

/** Selects from the anchor to a place, instead of to where the span led before. */
export function spanSelection(
  selection: Selection,
  plan: Plan,
  anchor: string,
  to: Place,
): Selection {
  const { span } = selection;
  const before = span?.anchor === anchor ? span.before : selection.ids;
  const ids = new Set(before);
  for (const id of listIdsBetween(plan, findPlace(plan, anchor) ?? to, to)) ids.add(id);
  const from = plan.sections[to.section]?.month.columns?.id[to.item];
  return { ids, from, span: { anchor, before } };
}

const isBefore = (a: Place, b: Place): boolean =>
  a.section < b.section || (a.section === b.section && a.item <= b.item);

export function listIdsBetween(plan: Plan, a: Place, b: Place): string[] {
  const [first, last] = isBefore(a, b) ? [a, b] : [b, a];
  const ids: string[] = [];
  for (let section = first.section; section <= last.section; section++) {
    const all = plan.sections[section]?.month.columns?.id ?? [];
    const from = section === first.section ? first.item : 0;
    const to = section === last.section ? last.item + 1 : all.length;
    ids.push(...all.slice(from, to));
  }
  return ids;
}

/** The months that a range goes over. */
export function listMonthsBetween(plan: Plan, a: Place, b: Place): string[] {
  const [first, last] = [Math.min(a.section, b.section), Math.max(a.section, b.section)];
  return plan.sections.slice(first, last + 1).map(({ month }) => month.key);
}

/** The ids of a day, by the name of its month and its place in it: '2024-07-01 3'. */
export function listIdsOfDay(plan: Plan, name: string): readonly string[] {
  const [key, day] = name.split(' ');
  const section = plan.sections.find(({ month }) => month.key === key);
  const starts = section?.days?.starts;
  return section?.month.columns?.id.slice(starts?.[Number(day)], starts?.[Number(day) + 1]) ?? [];
}
