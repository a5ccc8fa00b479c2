import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { countryName } from '../../../shared/web/usage/country-name.ts'
import { levelOf } from '../../../shared/web/usage/map-levels.ts'

type WorldMap = { width: number; height: number; shapes: Record<string, string>; points: Record<string, [number, number]> }
const file = new URL('../../../shared/web/usage/world-map.json', import.meta.url)
const { width, height, shapes, points }: WorldMap = JSON.parse(readFileSync(file, 'utf8'))

test.each([
  [0, 1000, 0],
  [1, 1, 5],
  [1, 1000, 1],
  [40, 1000, 3],
  [999, 1000, 5],
  [1000, 1000, 5],
])('%i requests of a country, with %i of the largest, have the colour %i', (count, max, level) => {
  expect(levelOf(count, max)).toBe(level)
})

test('the map knows large and small countries by codes that have names', () => {
  const codes = [...Object.keys(shapes), ...Object.keys(points)]
  expect(codes.filter((code) => countryName(code) === code)).toEqual([])
  expect(new Set(codes).size).toBe(codes.length)
  expect(codes).toEqual(expect.arrayContaining(['US', 'IN', 'TW', 'XK', 'SG', 'HK', 'MT', 'BH']))
})

test('the map draws every country inside its frame, in whole numbers', () => {
  const outside = Object.entries(points).filter(([, [x, y]]) => x < 0 || x > width || y < 0 || y > height)
  expect(outside).toEqual([])
  expect(Object.values(shapes).filter((shape) => !/^(M\d+ \d+(l-?\d+[ -]\d+)+z)+$/.test(shape))).toEqual([])
})

test('an unknown code of a country is shown as it is', () => {
  expect([countryName('DE'), countryName('not a code')]).toEqual(['Germany', 'not a code'])
})
