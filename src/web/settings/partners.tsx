import { UserMinus } from 'lucide-react';
import { get, post, put, remove } from '../api.ts';
import { fetchPeople } from '../albums/album-data.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import { attempt } from '../toast.tsx';
import type { Partner } from '../types.ts';
import { Avatar, IconButton } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';

const fetchPartners = (direction: 'shared-by' | 'shared-with') => (): Promise<Partner[]> =>
  get('/partners', { direction });

/** Who sees the whole own timeline, and whose is seen. */
export function Partners({ myId }: { myId: string }) {
  const given = useLoad(fetchPartners('shared-by'));
  const taken = useLoad(fetchPartners('shared-with'));
  const { data: people } = useLoad(fetchPeople);
  const known = new Set([myId, ...(given.data ?? []).map(({ id }) => id)]);
  const others = (people ?? []).filter(({ id }) => !known.has(id));
  const run = async (work: () => Promise<unknown>, done: string) => {
    await attempt(work, done);
    await Promise.all([given.reload(), taken.reload(), refreshTimelines()]);
  };
  return (
    <section className="card">
      <h2>Partners</h2>
      <p className="muted">A partner sees your whole timeline, not your archive or Locked.</p>
      <ul className="people" aria-label="They see my timeline">
        {given.data?.map((person) => (
          <li key={person.id}>
            <Avatar name={person.name} />
            <span className="person-name">
              {person.name}
              <small>sees your timeline</small>
            </span>
            <IconButton
              icon={UserMinus}
              label={`Stop sharing with ${person.name}`}
              onClick={() =>
                void run(() => remove(`/partners/${person.id}`), `Not shared with ${person.name}`)
              }
            />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <select
          className="wide"
          aria-label="Share my timeline with"
          value=""
          onChange={(event) => {
            const person = others.find(({ id }) => id === event.target.value);
            if (!person) return;
            const body = { sharedWithId: person.id };
            void run(() => post('/partners', body), `${person.name} sees your timeline`);
          }}
        >
          <option value="">Share my timeline with …</option>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {others.length === 0 && given.data?.length === 0 && (
        <p className="muted">Nobody else has an account on this server.</p>
      )}
      {taken.data && taken.data.length > 0 && (
        <ul className="people" aria-label="I see their timelines">
          {taken.data.map((person) => (
            <li key={person.id}>
              <Avatar name={person.name} />
              <span className="person-name">
                {person.name}
                <small>shares with you</small>
              </span>
              <label className="check">
                <input
                  type="checkbox"
                  checked={person.inTimeline ?? false}
                  aria-label={`Show photos of ${person.name} on my timeline`}
                  onChange={(event) => {
                    const inTimeline = event.target.checked;
                    const change = (other: Partner) =>
                      other.id === person.id ? { ...other, inTimeline } : other;
                    taken.setData((taken.data ?? []).map(change));
                    void run(
                      () => put(`/partners/${person.id}`, { inTimeline }),
                      inTimeline
                        ? `Photos of ${person.name} are on your timeline`
                        : `Photos of ${person.name} are off your timeline`,
                    );
                  }}
                />{' '}
                on my timeline
              </label>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
