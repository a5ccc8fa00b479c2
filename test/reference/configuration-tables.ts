import { z } from 'zod'
import { Environment as LocalEnvironment } from '../../functions/local/local-config.ts'
import { Environment } from '../../onprem/config.ts'
import { settingMeanings } from '../../shared/settings/setting-meanings.ts'
import { Secrets, Settings } from '../../shared/settings/settings.ts'
import { table } from './schema-rows.ts'

const tables: Record<string, () => string[]> = {
  'variables of an install': () => variables(Environment.shape),
  'variables of a hosted run': () => variables(LocalEnvironment.shape),
  settings: () =>
    table(
      ['setting', 'values', 'default', 'meaning'],
      Object.entries({ ...Settings.shape, ...Secrets.shape })
        .toSorted(([one], [other]) => groupOf(one).localeCompare(groupOf(other)))
        .map(([name, schema]) => [
          `\`${name}\``,
          schema.description ?? '',
          defaultOf(schema),
          settingMeanings[name as keyof typeof settingMeanings],
        ]),
    ),
}

/** The page with the tables between its markers replaced by those of the schemas. Throws if a marker is missing. */
export function withConfigurationTables(page: string): string {
  let text = page
  for (const [name, lines] of Object.entries(tables)) {
    const [start, end] = [`<!-- npm run reference writes this table: ${name} -->`, '<!-- end of the table -->']
    const from = text.indexOf(start)
    const to = text.indexOf(end, from)
    if (from === -1 || to === -1) throw new Error(`docs/configuration.md has no table "${name}".`)
    text = `${text.slice(0, from)}${start}\n\n${lines().join('\n')}\n${text.slice(to)}`
  }
  return text
}

const variables = (shape: Record<string, z.ZodType>): string[] =>
  table(
    ['variable', 'default', 'meaning'],
    Object.entries(shape).map(([name, schema]) => [`\`${name}\``, defaultOf(schema), schema.description ?? '']),
  )

function defaultOf(schema: z.ZodType): string {
  const value = schema.safeParse(undefined).data
  // A list of networks, for example, is printed as it is written in the environment.
  const shown = typeof value === 'object' ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).default : value
  return shown === undefined || (Array.isArray(shown) && shown.length === 0) ? 'none' : String(shown)
}

const groupOf = (name: string): string => name.split('.')[0] ?? name
