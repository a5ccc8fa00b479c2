/** EPERM, ENOMEM, EACCES, ENFILE and EMFILE, as LanceDB, Rust and Node write them. */
const reasons = /\b(?:os error|code:) (?:1|12|13|23|24)\b|\bE(?:PERM|NOMEM|ACCES|NFILE|MFILE)\b|too many open files/i

/** Whether a read failed for lack of rights, memory or file descriptors, so that nothing is known of the content. */
export const isNotDamage = (error: unknown): boolean => reasons.test(String(error))
