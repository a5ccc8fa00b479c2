import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { personVisit, signInAs, strangerVisit } from '../../fixtures/dashboard-visit.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

/** The link of a new invitation, made by the API. */
async function linkOf(team: string, email: string, inviter = 'olga'): Promise<string> {
  const person = await dashboard.signIn(inviter)
  const { body } = await person.ask<{ link: string }>('POST', `/api/teamspaces/${team}/invites`, { email, role: 'developer' })
  return new URL(body.link).pathname
}

test('an owner invites, the other user accepts in a second browser, and both see the members', async () => {
  const { id } = await dashboard.teamspace('Meeting', { olga: 'owner' })
  const olga = await personVisit(dashboard, 'olga')
  await olga.open(`/teamspaces/${id}/members`)
  await olga.page.getByText('No invitation is open.').waitFor()
  await olga.page.getByRole('button', { name: 'Invite' }).click()
  const dialog = olga.page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'E-mail address' }).fill('nobody')
  await dialog.getByRole('radio', { name: /^Admin/ }).check()
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByText('Must be an e-mail address').waitFor()
  expect(await dialog.getByRole('textbox', { name: 'E-mail address' }).inputValue()).toBe('nobody')
  await olga.inspect('members-invite')
  await dialog.getByRole('textbox', { name: 'E-mail address' }).fill('nora@example.com')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByText('A message with this link was sent to nora@example.com.').waitFor()
  const link = (await dialog.locator('pre').textContent()) ?? ''
  await olga.inspect('members-invited')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await olga.page.getByRole('row', { name: /nora@example\.com Admin olga/ }).waitFor()
  await olga.inspect('members-invitations')

  const nora = await personVisit(dashboard, 'nora')
  await nora.page.goto(link)
  await nora.page.getByRole('heading', { name: 'Join Meeting' }).waitFor()
  await nora.inspect('invite')
  await nora.page.getByRole('button', { name: 'Accept' }).click()
  await nora.page.waitForURL(`**/teamspaces/${id}/*`)
  await nora.open(`/teamspaces/${id}/members`)
  await olga.page.reload()
  for (const { page } of [nora, olga]) {
    await page.getByRole('row', { name: /nora.*Admin/ }).waitFor()
    await page.getByRole('row', { name: /olga.*Owner/ }).waitFor()
    await page.getByText('No invitation is open.').waitFor()
  }
  expect([...olga.problems, ...nora.problems].filter((problem) => !problem.includes('400'))).toEqual([])
})

test('an invitation of another address names it, and its addressee signs in from there and joins', async () => {
  const { id } = await dashboard.teamspace('Addressed', { olga: 'owner' })
  const path = await linkOf(id, 'stranger@example.com')
  const { page, open, inspect } = await strangerVisit(dashboard)
  await open(path)
  await signInAs(page, 'developer')
  await page.getByRole('heading', { name: 'This invitation is for somebody else' }).waitFor()
  await page.getByText('You are signed in as developer@example.com.').waitFor()
  await inspect('invite-other-address')
  await page.getByRole('link', { name: 'Sign in as somebody else' }).click()
  await page.getByRole('button', { name: 'stranger' }).click()
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.waitForURL(`**/teamspaces/${id}/*`)
})

test.each(['accepted', 'withdrawn', 'expired', 'unknown'])(
  'the page of an invitation that is %s says what to do',
  async (state) => {
    const { id } = await dashboard.teamspace(`Gone ${state}`, { olga: 'owner' })
    const path = await linkOf(id, `${state}@example.com`)
    const olga = await dashboard.signIn('olga')
    const { body } = await olga.ask<{ invites: { id: string }[] }>('GET', `/api/teamspaces/${id}/invites`)
    if (state === 'withdrawn') await olga.send('DELETE', `/api/teamspaces/${id}/invites/${body.invites[0]?.id}`)
    if (state === 'accepted') await (await dashboard.signIn('accepted')).send('POST', `/api${path}/accept`)
    if (state === 'expired') vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * 86_400_000 })
    try {
      const { page, open, inspect } = await personVisit(dashboard, state)
      await open(state === 'unknown' ? `${path}x` : path)
      await page.getByRole('heading', { name: 'This invitation cannot be used' }).waitFor()
      await page.getByText('Ask for another one.').waitFor()
      if (state === 'expired') await inspect('invite-gone')
    } finally {
      vi.useRealTimers()
    }
  },
)

test('a developer sees the members without a button to change them, and the API refuses what an admin may', async () => {
  const { id } = await dashboard.teamspace('Reading', { olga: 'owner', dave: 'developer' })
  await linkOf(id, 'later@example.com')
  const { page, open, inspect, problems } = await personVisit(dashboard, 'dave')
  await open(`/teamspaces/${id}/members`)
  await page.getByRole('row', { name: /olga.*Owner/ }).waitFor()
  await page.getByRole('row', { name: /later@example\.com/ }).waitFor()
  expect(await page.getByRole('button', { name: /^(Actions for|Invite|Withdraw)/ }).count()).toBe(0)
  await inspect('members-developer')
  const statuses = await page.evaluate(async (team) => {
    const send = (path: string, method: string, body?: object) =>
      fetch(`/api/teamspaces/${team}${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }).then(({ status }) => status)
    return [
      await send('/invites', 'POST', { email: 'x@example.com', role: 'developer' }),
      await send('/members/none', 'PATCH', { role: 'admin' }),
      await send('/members/none', 'DELETE'),
    ]
  }, id)
  expect(statuses).toEqual([403, 403, 403])
  expect(problems.filter((problem) => !problem.includes('403'))).toEqual([])
})

test('an owner makes a member an owner, then removes them; the last owner can be neither changed nor removed', async () => {
  const { id } = await dashboard.teamspace('Owning', { olga: 'owner', adam: 'admin' })
  const { page, open, inspect } = await personVisit(dashboard, 'olga')
  await open(`/teamspaces/${id}/members`)
  const act = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await page.getByRole('button', { name: 'Actions for olga' }).click()
  for (const action of ['Make an admin', 'Make a developer', 'Remove']) {
    const item = page.getByRole('menuitem', { name: action })
    expect(await item.textContent()).toContain('This is the last owner.')
    expect(await item.isDisabled()).toBe(true)
  }
  await page.keyboard.press('Escape')
  await act('adam', 'Make an owner')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Make an owner' }).click()
  await page.getByRole('row', { name: /adam.*Owner/ }).waitFor()
  await act('adam', 'Remove')
  await inspect('members-remove')
  await dialog.getByRole('button', { name: 'Remove member' }).click()
  await page.getByRole('row', { name: /adam/ }).waitFor({ state: 'detached' })
})

test('an admin who was made a developer meanwhile reads the refusal, and then sees no buttons', async () => {
  const { id } = await dashboard.teamspace('Changing', { olga: 'owner', adam: 'admin', dave: 'developer' })
  const { page, open } = await personVisit(dashboard, 'adam')
  await open(`/teamspaces/${id}/members`)
  expect(await page.getByRole('button', { name: 'Actions for olga' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Actions for dave' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const adam = (await dashboard.signIn('adam')).user
  await (await dashboard.signIn('olga')).send('PATCH', `/api/teamspaces/${id}/members/${adam.id}`, { role: 'developer' })
  await page.getByRole('button', { name: 'Remove member' }).click()
  await page.getByRole('alert').getByText('This requires the role admin in the teamspace').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Actions for dave' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
  await page.getByRole('row', { name: /dave.*Developer/ }).waitFor()
})
