import { t } from 'elysia';
import { PROFILES } from '../../../core/machine.ts';
import { stringEnum, Timestamp } from '../../../http/schemas.ts';

const Bytes = t.Integer({ minimum: 0 });
const Profile = stringEnum(PROFILES, { title: 'MachineProfile' });

const CertificateDto = t.Object(
  {
    /** SHA-256, as browsers show it. */
    fingerprint: t.String(),
    /** Names and addresses that it is for. */
    names: t.Array(t.String()),
    issuer: t.String(),
    expiresAt: Timestamp,
    isSelfSigned: t.Boolean(),
  },
  { title: 'CertificateDto' },
);

export const MachineDto = t.Object(
  {
    /** In force: of the configuration, else of the command line, else by memory. */
    profile: Profile,
    /** By memory. */
    detectedProfile: Profile,
    /** Memory that the server may use. */
    memoryBytes: Bytes,
    cores: t.Integer({ minimum: 1 }),
    /** The IANA name of the time zone that cron expressions and the start of the nightly tasks are in. */
    timeZone: t.String(),
    /** Most memory of the process that runs the models. */
    inferenceMemoryBytes: Bytes,
    /** Whether that memory changes with the next start. */
    isRestartNeeded: t.Boolean(),
    /** Null: plain HTTP, or HTTPS by a proxy. */
    certificate: t.Nullable(CertificateDto),
    /** Faults of the machine that jobs wait for, the oldest first. */
    faults: t.Array(
      t.Object({ job: t.String(), error: t.String(), since: Timestamp }, { title: 'JobFaultDto' }),
    ),
    /** Problems of the server in the words of `safelight status`; the text is empty where there are none. */
    state: t.Object({ isWell: t.Boolean(), text: t.String() }, { title: 'ServerStateDto' }),
    /** Days on the clock that the server has not seen pass: what is deleted for good after some days waits so much longer. */
    uncountedTime: t.Array(
      t.Object({ at: Timestamp, days: t.Integer({ minimum: 1 }) }, { title: 'UncountedTimeDto' }),
    ),
  },
  { title: 'MachineDto' },
);
export type Machine = typeof MachineDto.static;
