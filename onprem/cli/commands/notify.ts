import { Argument, type Command } from 'commander'
import { printDone } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { AppError } from '../../../shared/errors.ts'
import { type NotificationChannel, notificationChannels } from '../../../shared/settings/notification-names.ts'
import type { ChannelState } from '../../notifications/notifications.ts'
import { call } from '../api/connection.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

const columns: Columns<Pick<ChannelState, 'channel' | 'state' | 'host' | 'waiting' | 'lastSentAt'>> = {
  channel: ({ channel }) => channel,
  state: ({ state }) => state,
  host: ({ host }) => host ?? '',
  waiting: ({ waiting }) => waiting,
  'last sent': ({ lastSentAt }) => lastSentAt ?? 'never',
}

export function notifyCommands(program: Command, run: RunCommand): void {
  const notify = program.command('notify').description('notifications by webhook, chat and e-mail')

  notify
    .command('list')
    .description('list the channels, what waits, and what is wrong')
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => run('notify list', (ports) => list(ports, options)))

  notify
    .command('test')
    .description('send a test message to a channel, or to every channel that is on')
    .addArgument(new Argument('[channel]', 'the channel').choices(notificationChannels))
    .action((channel?: NotificationChannel) => run('notify test', (ports) => test(ports, channel)))
}

const channelsOf = async ({ api }: CommandPorts) => (await (await call(api.notifications.$get())).json()).channels

async function list(ports: CommandPorts, { json = false }: { json?: boolean }): Promise<void> {
  const channels = await channelsOf(ports)
  printList(columns, channels, { json })
  if (json) return
  for (const { channel, failing } of channels)
    if (failing) ports.progress.remark(`${channel} fails since ${failing.since}: ${failing.message}`)
}

async function test(ports: CommandPorts, named?: NotificationChannel): Promise<void> {
  const channels = named ? [named] : (await channelsOf(ports)).filter(({ state }) => state !== 'off').map((each) => each.channel)
  if (channels.length === 0)
    throw new AppError('command_failed', 'All channels are off. Set the address of one, such as notifications.webhookUrl.')
  const failed: string[] = []
  for (const channel of channels) {
    ports.progress.show(`Sending to ${channel}`)
    const tests = await (await call(ports.api.settings.test.$post({ query: { only: channel }, json: {} }))).json()
    const { ok, ms, error } = tests[channel] ?? { ok: false, ms: 0 }
    ports.progress.clear()
    if (ok) printDone(`${channel}: the test message was accepted in ${ms} ms.`)
    else failed.push(`${channel}: ${error ?? 'the test failed.'}`)
  }
  if (failed.length > 0) throw new AppError('command_failed', failed.join(' '))
}
