/** EPERM, ENOMEM, EACCES, ENFILE and EMFILE, and the last words of a process without memory, in messages of LanceDB, Rust and Node. */
const reasons =
  /\b(?:os error|code:) (?:1|12|13|23|24)\b|\bE(?:PERM|NOMEM|ACCES|NFILE|MFILE)\b|too many open files|heap out of memory|memory allocation of \d+ bytes failed/i

/** True if a read failed for lack of permissions, memory or file descriptors, which says nothing about the content. */
export const isNotDamage = (error: unknown): boolean => reasons.test(String(error))
