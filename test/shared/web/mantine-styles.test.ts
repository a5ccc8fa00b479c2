import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../../..', import.meta.url).pathname
const styles = join(root, 'node_modules/@mantine/core/styles')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('mantine.css has the styles of every component of Mantine that the web UI uses', () => {
  const files = globSync('{onprem,shared}/web/**/*.{ts,tsx}', { cwd: root })
  const imported = files.flatMap((file) =>
    [...read(file).matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names = '']) => names.split(/[\s,]+/)),
  )
  const used = [...new Set(imported)].filter((name) => existsSync(join(styles, `${name}.layer.css`)))
  expect(used.length).toBeGreaterThan(10)
  const css = read('shared/web/mantine.css')
  expect(used.filter((name) => !css.includes(`/${name}.layer.css`))).toEqual([])
})
