import { Type } from 'typebox';
import { invalidField } from '../../../core/errors.ts';
import { choice, type Filter, findConfigFault, type Method, OWN_PLUGIN } from './define.ts';

const Condition = Type.Object({
  method: Type.String({ title: 'Method', description: 'Filter, as plugin#name', maxLength: 300 }),
  config: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { title: 'Configuration', type: 'object' }),
  ),
});

type GroupConfig = {
  readonly combine: 'all' | 'any' | 'none';
  readonly filters: readonly { readonly method: string; readonly config?: object }[];
};

const MAX_DEPTH = 5;

type FindMethod = (key: string) => Method | undefined;

/** Returns a filter that combines those that `findMethod` finds, also groups. */
export function createGroupFilter(findMethod: FindMethod): Filter {
  /** Throws 400 for any other method, for an invalid configuration, and for too many levels. */
  function getFilter(method: string, config: object, path: string, depth: number): Filter {
    const found = findMethod(method);
    if (found?.kind !== 'filter' || depth > MAX_DEPTH) {
      throw invalidField(path, `Not a filter: ${method}`);
    }
    const fault = findConfigFault(found.config, config);
    if (fault) throw invalidField(`${path}.config.${fault.path}`, fault.message);
    return found;
  }

  const listFilters = ({ filters }: GroupConfig, depth = 1) =>
    filters.map(({ method, config = {} }, index) => {
      const filter = getFilter(method, config, `filters.${index}`, depth);
      if (filter.name === NAME) listFilters(config as GroupConfig, depth + 1);
      return { filter, config: config as never };
    });

  return {
    ...GROUP,
    listParts: (config: GroupConfig) =>
      listFilters(config).map(({ filter: method, config }, index) => ({
        path: `filters.${index}.config`,
        method,
        config,
      })),
    getNeeds(config: GroupConfig) {
      const needs = listFilters(config).map((one) => one.filter.getNeeds(one.config));
      return {
        groups: needs.flatMap(({ groups }) => groups),
        tasks: needs.flatMap(({ tasks }) => tasks),
        sentences: needs.flatMap(({ sentences }) => sentences),
      };
    },
    compile(config: GroupConfig) {
      const predicates = listFilters(config).map((one) => one.filter.compile(one.config));
      if (config.combine === 'all') return (facts) => predicates.every((matches) => matches(facts));
      const isAnyWanted = config.combine === 'any';
      return (facts) => predicates.some((matches) => matches(facts)) === isAnyWanted;
    },
  };
}

const NAME = 'groupFilter';

const GROUP = {
  kind: 'filter',
  plugin: OWN_PLUGIN,
  name: NAME,
  title: 'Combine filters',
  description: 'Filter items that match all, any or none of some filters',
  config: Type.Object({
    combine: choice(['all', 'any', 'none'], {
      title: 'Match',
      description: 'Whether all, any or none of the filters must match',
      default: 'all',
    }),
    filters: Type.Array(Condition, {
      title: 'Filters',
      description: 'Filters to combine',
      maxItems: 50,
    }),
  }),
} as const;
