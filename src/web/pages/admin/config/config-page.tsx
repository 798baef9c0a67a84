import { useQuery } from '@tanstack/react-query';
import { Mail, SearchX, Unlink } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import { showToast, attempt } from '../../../ui/toast.tsx';
import type { Config, LockedMember } from '../../../data/types.ts';
import { Empty, Failure, Page } from '../../../ui/elements.tsx';
import { Sections } from '../../../ui/sections.tsx';
import { useUnsavedWarning } from '../../../ui/use-unsaved-warning.tsx';
import {
  applyChanges,
  type Changes,
  type Faults,
  filterSubjects,
  findMissing,
  NO_FAULTS,
  pickChanges,
  readMember,
  toFaults,
  withChange,
  withoutSaved,
} from '../../../data/admin/config/config-data.ts';
import { MemberField } from './member-field.tsx';
import {
  configQuery,
  defaultsQuery,
  lockedQuery,
  saveChanges,
} from '../../../data/admin/config/queries.ts';
import type { ConfigPath, Subject } from '../../../data/admin/config/members.ts';
import { SUBJECTS } from './subjects.ts';
import { ZoneNote } from './zone-note.tsx';
import styles from './config.module.css';
import { t } from '../../../base/i18n.ts';
import { post } from '../../../base/api.ts';
import { Confirm } from '../../../ui/dialog.tsx';

/** The configuration that administrators change while the server runs. */
export function ConfigPage() {
  const config = useQuery(configQuery());
  const defaults = useQuery(defaultsQuery());
  const locked = useQuery(lockedQuery());
  const [query, setQuery] = useState('');
  const failed = [config, defaults, locked].find(({ data, error }) => error && !data);
  const search = (
    <input
      className="find-input"
      type="search"
      aria-label={t('Search the settings')}
      placeholder={t('Search')}
      value={query}
      onChange={({ target }) => setQuery(target.value)}
    />
  );
  return (
    <Page title={t('Server settings')}>
      {failed?.error && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      {config.data && defaults.data && locked.data && (
        <Subjects
          query={query}
          search={search}
          saved={config.data}
          defaults={defaults.data}
          locked={locked.data}
        />
      )}
    </Page>
  );
}

type Documents = {
  saved: Config;
  defaults: Config;
  locked: readonly LockedMember[];
};

function Subjects({
  query,
  search,
  ...documents
}: Documents & { query: string; search: ReactNode }) {
  const [changes, setChanges] = useState<Changes>({});
  const warning = useUnsavedWarning({ isUnsaved: () => Object.keys(changes).length > 0 });
  const found = filterSubjects(SUBJECTS, query);
  const isWhole = query.trim() === '';
  const isShown = ({ id, members }: Subject) =>
    found.some((subject) => subject.id === id) || members.some(({ path }) => path in changes);
  const shown = SUBJECTS.filter(isShown);
  const count = found.reduce((sum, { members }) => sum + members.length, 0);
  const change = (path: ConfigPath, value: unknown, sent: Changes) =>
    setChanges((before) => withChange(before, { saved: documents.saved, sent }, path, value));
  const forget = (sent: Changes) => setChanges((before) => withoutSaved(before, sent));
  return (
    <Sections sections={isWhole ? [...shown, MAIL] : shown} head={search}>
      <p className={`muted ${styles.found}`} role="status">
        {!isWhole && t('{count, plural, one {# setting} other {# settings}} found', { count })}
      </p>
      {count === 0 && (
        <Empty
          icon={SearchX}
          title={t('No setting found')}
          text={t('Try another word, or a part of one.')}
        />
      )}
      {SUBJECTS.map((subject) => (
        <SubjectForm
          key={subject.id}
          {...documents}
          subject={subject}
          shown={found.find(({ id }) => id === subject.id)?.members.map(({ path }) => path) ?? []}
          changes={pickChanges(changes, subject)}
          onChange={change}
          onSaved={forget}
        />
      ))}
      {isWhole && <MailNote />}
      {isWhole && documents.saved.oauth.enabled && <UnlinkAll />}
      {warning}
    </Sections>
  );
}

const MAIL = { id: 'mail', title: t('Mail') };

const MailNote = () => (
  <section id={MAIL.id} className="card">
    <h2>{MAIL.title}</h2>
    <p className="muted">{t('The mail server and the texts of messages have their own page.')}</p>
    <Link className="button" href="/admin/mail">
      <Mail size={16} aria-hidden /> {t('Mail settings')}
    </Link>
  </section>
);

type FormProps = Documents & {
  subject: Subject;
  /** Paths of the members that the search has found. */
  shown: readonly ConfigPath[];
  changes: Changes;
  onChange: (path: ConfigPath, value: unknown, sent: Changes) => void;
  onSaved: (sent: Changes) => void;
};

/** A subject is saved by itself. What is changed stays to be seen, whatever is searched for. */
function SubjectForm(props: FormProps) {
  const { saved, defaults, locked, subject, shown, changes, onChange, onSaved } = props;
  const [faults, setFaults] = useState<Faults>(NO_FAULTS);
  /** The changes that are being saved. */
  const [sent, setSent] = useState<Changes>({});
  const isBusy = Object.keys(sent).length > 0;
  const id = useId();
  const members = subject.members.filter(({ path }) => shown.includes(path) || path in changes);
  if (members.length === 0) return null;

  const save = async () => {
    const missing = findMissing(applyChanges(saved, changes), subject);
    setFaults(missing);
    if (Object.keys(missing.members).length > 0) return;
    setSent(changes);
    try {
      await saveChanges(subject.document, changes);
      onSaved(changes);
      showToast(t('Saved'), 'success');
    } catch (error) {
      setFaults(toFaults(error, subject));
    } finally {
      setSent({});
    }
  };
  return (
    <form
      id={subject.id}
      className={`card ${styles.subject}`}
      aria-labelledby={id}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2 id={id}>{subject.title}</h2>
      {subject.help && <p className="muted">{subject.help}</p>}
      {subject.hasTimes && <ZoneNote />}
      {members.map((member) => (
        <MemberField
          key={member.path}
          member={member}
          value={member.path in changes ? changes[member.path] : readMember(saved, member.path)}
          defaultValue={readMember(defaults, member.path)}
          flag={locked.find(({ path }) => path === member.path)?.flag}
          error={faults.members[member.path]}
          onChange={(value) => {
            setFaults(NO_FAULTS);
            onChange(member.path, value, sent);
          }}
        />
      ))}
      <p className="form-error" role="alert">
        {faults.text ?? (Object.keys(faults.members).length > 0 && t('Not saved. See above.'))}
      </p>
      <div className="form-actions">
        <button
          className="button primary"
          type="submit"
          aria-label={t('Save “{title}”', { title: subject.title })}
          disabled={isBusy || Object.keys(changes).length === 0}
        >
          {isBusy ? t('One moment …') : t('Save')}
        </button>
      </div>
    </form>
  );
}

/** For a change of the provider: the new one may know other people by the same identifiers. */
function UnlinkAll() {
  const [asks, setAsks] = useState(false);
  return (
    <section className="card">
      <h2>{t('Accounts linked to the login provider')}</h2>
      <p className="muted">
        {t(
          'Unlink all accounts before you use another provider: it may know others by the same ID.',
        )}
      </p>
      <div className="card-actions">
        <button className="button" onClick={() => setAsks(true)}>
          <Unlink size={16} aria-hidden /> {t('Unlink all accounts')}
        </button>
      </div>
      {asks && (
        <Confirm
          title={t('Unlink all accounts?')}
          text={t('Whoever logs in with a verified email address is linked again.')}
          action={t('Unlink all accounts')}
          onClose={() => setAsks(false)}
          onConfirm={() => void attempt(() => post('/admin/auth/unlink-all'), t('Unlinked'))}
        />
      )}
    </section>
  );
}
