import { expect, test } from 'vitest'
import type { NamedLibrary } from '../../../functions/catalog/pack-libraries.ts'
import { sitemap } from '../../../functions/pages/sitemap.ts'

const site = 'https://docs.example.com'
const own = ['/', '/terms', '/privacy', '/takedown'].map((path) => site + path)
const libraries = (ids: string[]) => ids.map((id) => ({ id, lastUpdateDate: '2026-01-02T03:04:05.000Z' }) as NamedLibrary)
const addressesIn = (xml = '') => [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address)

test('the sitemap lists the pages of the service and of each library, with addresses that are valid in XML and in URLs', () => {
  const xml = sitemap(site, libraries(['/a/b', '/q&a/tüpfel', '/a/what?#%']), undefined)
  expect(addressesIn(xml)).toEqual([...own, `${site}/a/b`, `${site}/q&amp;a/t%C3%BCpfel`, `${site}/a/what%3F%23%25`])
  expect(xml).toContain('<lastmod>2026-01-02T03:04:05.000Z</lastmod>')
})

test('a long list is split into files that a Lambda can send', () => {
  const many = libraries(Array.from({ length: 20_001 }, (_, i) => `/owner/${'repo'.repeat(20)}${i}`))
  expect(addressesIn(sitemap(site, many, undefined))).toEqual([1, 2, 3].map((file) => `${site}/sitemap.xml?file=${file}`))
  const files = [1, 2, 3].map((file) => sitemap(site, many, file) ?? '')
  expect(files.flatMap(addressesIn)).toHaveLength(20_001 + own.length)
  for (const file of files) expect(Buffer.byteLength(file)).toBeLessThan(6_000_000)
  expect(sitemap(site, many, 4)).toBeUndefined()
})
