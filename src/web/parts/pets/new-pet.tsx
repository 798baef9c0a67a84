import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { createPet, type Pet } from '../../data/pets/pet-data.ts';
import { t } from '../../base/i18n.ts';

type Props = {
  /** The species of the observation; undefined: the dialog asks for it. */
  species?: Pet['species'];
  onMade: (pet: Pet) => void;
  onClose: () => void;
};

const CHOICES: readonly [Pet['species'], string][] = [
  ['cat', t('Cat')],
  ['dog', t('Dog')],
  ['bird', t('Bird')],
  ['horse', t('Horse')],
  ['other', t('Other')],
];

/** Adds a pet that is told from others of its species. */
export function NewPetDialog({ species, onMade, onClose }: Props) {
  const form = useForm(async (values) => {
    const name = values['name']?.trim();
    if (!name) throw new Error(t('Enter a name.'));
    const kind = species ?? (values['species'] as Pet['species']);
    onMade(await createPet({ name, species: kind }));
  });
  return (
    <Dialog title={t('New pet')} onClose={onClose}>
      <Form state={form} action={t('Add')}>
        <Field label={t('Name')} name="name" maxLength={200} autoFocus />
        {!species && (
          <div className="field">
            <label htmlFor="new-pet-species">{t('It is a')}</label>
            <select id="new-pet-species" name="species">
              {CHOICES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </div>
        )}
      </Form>
    </Dialog>
  );
}
