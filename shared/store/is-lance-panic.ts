/** Messages of napi, Tokio and Rust. The word "panic" may also be in the path of a file. */
const panics = /Panic in async function|panic from Rust code|PanicException|\btask (?:\S+ )?panicked\b|\bpanicked at \S+:\d+/

/** True if an error is a panic that LanceDB caught. It may have corrupted memory before. */
export const isLancePanic = (error: unknown): boolean => panics.test(String(error))
