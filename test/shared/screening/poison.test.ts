import { expect, test } from 'vitest'
import { flagsOfAttack, readAttacks } from '../../poison/corpus.ts'

test('the corpus has at least 200 poisoned pages, half of them after published attacks, and 95 % of those that rules were fitted to are flagged', async () => {
  const attacks = readAttacks()
  expect(attacks.length).toBeGreaterThanOrEqual(200)
  expect(attacks.filter(({ isPublished }) => isPublished).length).toBeGreaterThanOrEqual(attacks.length / 2)
  const found: boolean[] = []
  for (const attack of attacks.filter(({ heldOut }) => !heldOut)) found.push((await flagsOfAttack(attack)).length > 0)
  expect(found.filter(Boolean).length / found.length).toBeGreaterThanOrEqual(0.95)
})
