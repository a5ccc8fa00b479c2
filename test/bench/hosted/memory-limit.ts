import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Limits the memory of a process with a cgroup, or returns undefined if this machine does not allow that. `end` is for after its exit. */
export function limitMemory(pid: number, bytes: number): { end(): void } | undefined {
  for (const [parent, file] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ] as const) {
    const group = join(parent, `carrel-bench-${pid}`)
    try {
      mkdirSync(group)
      writeFileSync(join(group, file), String(bytes))
      writeFileSync(join(group, 'cgroup.procs'), String(pid))
      return { end: () => rmdirSync(group) }
    } catch {
      try {
        rmdirSync(group)
      } catch {}
    }
  }
  return undefined
}
