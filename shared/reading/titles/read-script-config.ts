import { readScript, type Script } from '../../text/read-script.ts'
import { type ScriptValues, scriptValues } from './script-values.ts'
import type { Titled } from './titled.ts'

/** Locales of the texts of a site that gives them per locale, the first that exists is read. */
const mainLocales = ['root', '/', 'en', 'en-US']

/**
 * Title and description in a configuration that is a program: in the exported object, or in the argument of `starlight(…)`. The program is not
 * run: a value that is neither a literal nor a constant with a literal is undefined.
 */
export async function readScriptConfig(source: string, part: 'export' | 'starlight'): Promise<Titled> {
  const script = await readScript(source)
  const values = scriptValues(script)
  const config = values.objects(part === 'export' ? exportsOf(script) : callsOf(script, 'starlight'))
  const locales = values.objects(values.properties(config, 'locales'))
  const localized = mainLocales.map((locale) => values.objects(values.properties(locales, locale)))
  const text = (name: string) => firstText(values, [config, ...localized], name)
  return { title: text('title'), description: text('description') ?? text('tagline') }
}

/** Values of one property that are looked at. Real configurations have one, or one per spread object. */
const maxValues = 20

/** A text, or the main locale of texts by locale. */
function firstText(values: ScriptValues, places: number[][], name: string): string | undefined {
  for (const objects of places) {
    for (const at of values.properties(objects, name).slice(0, maxValues)) {
      const byLocale = values.objects([at])
      const [text] = [at, ...mainLocales.flatMap((locale) => values.properties(byLocale, locale))].flatMap(
        (value) => values.text(value) ?? [],
      )
      if (text !== undefined) return text
    }
  }
  return undefined
}

/** The positions at which the values of `export default …` and `module.exports = …` start. */
const exportsOf = ({ tokens }: Script): number[] =>
  tokens.flatMap(({ type, value }, at) => {
    if (type === 'export' && tokens[at + 1]?.type === 'default') return [at + 2]
    const isModule = value === 'module' && tokens[at + 2]?.value === 'exports' && tokens[at + 3]?.type === '='
    return isModule ? [at + 4] : []
  })

const callsOf = ({ tokens }: Script, name: string): number[] =>
  tokens.flatMap(({ type, value }, at) => (type === 'name' && value === name && tokens[at + 1]?.type === '(' ? [at] : []))
