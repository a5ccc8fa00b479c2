import { expect, test } from 'vitest'
import type { Salts } from '../../shared/usage/salts.ts'

export type SaltsUnderTest = {
  /** Another reader of the same store, at the time `at`. */
  open(): Salts
  at(day: string): void
}

/** Tests that every store of salts must pass. */
export function saltsContract(name: string, make: () => Promise<SaltsUnderTest>): void {
  test(`${name}: the salt of a day is 32 random bytes, the same for all readers, and different each day`, async () => {
    const { open, at } = await make()
    at('2026-11-20')
    const salts = await Promise.all(Array.from({ length: 8 }, () => open().saltOf('2026-11-20')))
    expect(salts[0]).toHaveLength(32)
    for (const salt of salts) expect(Buffer.from(salt)).toEqual(Buffer.from(salts[0] ?? []))
    expect(await open().saltOf('2026-11-21')).not.toEqual(salts[0])
    expect(await (await make()).open().saltOf('2026-11-20')).not.toEqual(salts[0])
  })

  test(`${name}: the salt of the next day is created in advance, once, also at the end of a month`, async () => {
    const { open, at } = await make()
    at('2026-11-30')
    await open().makeAhead()
    const salt = await open().saltOf('2026-12-01')
    await open().makeAhead()
    at('2026-12-01')
    expect(await open().saltOf('2026-12-01')).toEqual(salt)
  })

  test(`${name}: the salts of yesterday and tomorrow are kept, and that of the day before yesterday is deleted for all readers`, async () => {
    const { open, at } = await make()
    const long = open()
    at('2026-11-20')
    const salt = await long.saltOf('2026-11-20')
    at('2026-11-21')
    await long.makeAhead()
    const ahead = await open().saltOf('2026-11-22')
    await long.forgetOld()
    expect(await long.saltOf('2026-11-20')).toEqual(salt)
    expect(await open().saltOf('2026-11-20')).toEqual(salt)
    at('2026-11-22')
    await long.forgetOld()
    expect(await open().saltOf('2026-11-22')).toEqual(ahead)
    const another = await open().saltOf('2026-11-20')
    expect(another).not.toEqual(salt)
    expect(await long.saltOf('2026-11-20')).toEqual(another)
  })

  test(`${name}: erased salts of today and before are replaced, and that of tomorrow is kept`, async () => {
    const { open, at } = await make()
    const salts = open()
    at('2026-11-20')
    const saltsOf = (reader: Salts) => Promise.all(['2026-11-19', '2026-11-20', '2026-11-21'].map((day) => reader.saltOf(day)))
    const before = await saltsOf(salts)
    await salts.erase()
    await salts.erase()
    const after = await saltsOf(salts)
    expect(after.map((salt, n) => Buffer.from(salt).equals(Buffer.from(before[n] ?? [])))).toEqual([false, false, true])
    expect(await saltsOf(open())).toEqual(after)
  })
}
